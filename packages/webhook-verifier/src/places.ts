import { findHeader, type HeaderSource } from "./headers.ts";
import type { Location } from "./scheme.ts";

/** The value at a dotted path (`event.type`, `data.0.id`). It reads only own members. */
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
 * An id or type as text; `undefined` for a value that is neither a text nor a whole number. Numbers
 * above 2^53 do not count: JSON numbers are doubles here, and two different ids would become one.
 */
export const asText = (value: unknown): string | undefined =>
  typeof value === "string" ? value || undefined : Number.isSafeInteger(value) ? String(value) : undefined;

/**
 * The value at a place. Absent parts are left out; `undefined` if all are absent. It parses the
 * body only if it must.
 */
export const textAt = (
  place: Location | undefined,
  headers: HeaderSource,
  inBody: (path: string) => unknown,
): string | undefined => {
  if (typeof place !== "string")
    return place?.flatMap((part) => textAt(part, headers, inBody) ?? []).join(".") || undefined;
  let text: string | undefined;
  for (const name of namesIn(place))
    text ??= place.startsWith("header:") ? findHeader(headers, name) : asText(inBody(name));
  return text;
};

/** Places come from schemes, so they are few. Splitting them anew took 1.9 kB for each delivery. */
const known: Record<string, readonly string[]> = {};

/** The names at one place. The first one that is present counts. */
export const namesIn = (place: string): readonly string[] => (known[place] ??= place.split(/[:|]/).slice(1));

/** Whether every part of a place is in the body. */
export const isInBody = (place: Location | undefined): boolean =>
  [place].flat().every((part) => part?.startsWith("body:"));
