import { findHeader, type HeaderSource } from "./headers.ts";
import type { Location } from "./scheme.ts";

/** The value at a dotted path, own members only: `event.type`, `data.0.id`. */
export const at = (value: unknown, path: string): unknown => {
  let here = value;
  for (const name of path.split(".")) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    // The line above has just shown it to be an object with that member.
    here = (here as Record<string, unknown>)[name];
  }
  return here;
};

/**
 * An id or type as text. Whole numbers up to 2^53 count. Larger ones do not: JSON numbers are doubles here, and two different
 * ids would become one. Everything else is none.
 */
export const asText = (value: unknown): string | undefined =>
  typeof value === "string" ? value || undefined : Number.isSafeInteger(value) ? String(value) : undefined;

/** What stands at a place; parts that are absent are left out. `undefined` when nothing is there. Parses only if it must. */
export const textAt = (place: Location | undefined, headers: HeaderSource, read: () => unknown): string | undefined => {
  if (place === undefined) return undefined;
  if (typeof place !== "string")
    return place.flatMap((part) => textAt(part, headers, read) ?? []).join(".") || undefined;
  const name = place.slice(place.indexOf(":") + 1);
  return place.startsWith("header:") ? findHeader(headers, name) : asText(at(read(), name));
};

/** Whether every part of a place stands in the body. */
export const isInBody = (place: Location | undefined): boolean =>
  place !== undefined && (typeof place === "string" ? [place] : place).every((part) => part.startsWith("body:"));
