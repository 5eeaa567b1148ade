import { findHeader, type HeaderSource } from "./headers.ts";
import type { Location } from "./scheme.ts";

const member = (value: unknown, name: string): unknown =>
  value && typeof value === "object" && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** The value at a dotted path (`event.type`, `data.0.id`). It reads only own members. */
export const at = (value: unknown, path: string): unknown =>
  // Most paths are one name.
  path.includes(".") ? path.split(".").reduce(member, value) : member(value, path);

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
export const textAt = (place: Location | undefined, headers: HeaderSource, read: () => unknown): string | undefined => {
  if (typeof place !== "string")
    return place?.flatMap((part) => textAt(part, headers, read) ?? []).join(".") || undefined;
  const inHeader = place.startsWith("header:");
  // Without lists: every delivery is asked three times.
  for (let from = place.indexOf(":") + 1, end = 0; end >= 0; from = end + 1) {
    end = place.indexOf("|", from);
    const name = place.slice(from, end < 0 ? place.length : end);
    const text = inHeader ? findHeader(headers, name) : asText(at(read(), name));
    if (text) return text;
  }
  return undefined;
};

/** The names at one place. The first one that is present counts. */
export const namesIn = (place: string): readonly string[] => place.split(/[:|]/).slice(1);

/** Whether every part of a place is in the body. */
export const isInBody = (place: Location | undefined): boolean =>
  place !== undefined && (typeof place === "string" ? [place] : place).every((part) => part.startsWith("body:"));
