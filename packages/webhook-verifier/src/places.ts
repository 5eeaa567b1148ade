import { findHeader, type HeaderSource } from "./headers.ts";
import type { Location } from "./scheme.ts";

/** The value at a dotted path, own members only: `event.type`, `data.0.id`. */
export const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce(
      (here: unknown, name) =>
        here && typeof here === "object" && Object.hasOwn(here, name)
          ? (here as Record<string, unknown>)[name]
          : undefined,
      value,
    );

/**
 * An id or type as text. Whole numbers up to 2^53 count. Larger ones do not: JSON numbers are doubles here, and two different
 * ids would become one. Everything else is none.
 */
export const asText = (value: unknown): string | undefined =>
  typeof value === "string" ? value || undefined : Number.isSafeInteger(value) ? String(value) : undefined;

/** What stands at a place; parts that are absent are left out. `undefined` when nothing is there. Parses only if it must. */
export const textAt = (place: Location | undefined, headers: HeaderSource, read: () => unknown): string | undefined => {
  if (typeof place !== "string")
    return place?.flatMap((part) => textAt(part, headers, read) ?? []).join(".") || undefined;
  return namesIn(place)
    .map((name) => (place.startsWith("header:") ? findHeader(headers, name) : asText(at(read(), name))))
    .find(Boolean);
};

/** The names at one place, of which the first that is there counts. */
export const namesIn = (place: string): readonly string[] => place.split(/[:|]/).slice(1);

/** Whether every part of a place stands in the body. */
export const isInBody = (place: Location | undefined): boolean =>
  place !== undefined && (typeof place === "string" ? [place] : place).every((part) => part.startsWith("body:"));
