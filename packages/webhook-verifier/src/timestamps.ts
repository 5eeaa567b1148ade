import { refuse } from "./errors.ts";

/**
 * How a sender writes its time: Unix seconds or milliseconds in digits, an ISO 8601 / RFC 3339
 * instant, such an instant in UTC without an offset, or the date of an HTTP header (RFC 9110).
 */
export type TimeUnit = "s" | "ms" | "iso" | "iso-utc" | "http";

// Year, month, day, time, any fraction, and an offset. Without an offset the instant would depend
// on this machine's zone.
const instant = /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/;
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d(:\d\d){2} GMT$/;

const malformed = (unit: TimeUnit): never => refuse("timestamp_malformed", `The time is not written in ${unit}.`);

/**
 * Converts a written time to milliseconds since the epoch. @throws WebhookVerificationError
 * `timestamp_malformed`
 */
export const parseTime = (text: string, unit: TimeUnit): number => {
  // At most 15 digits and nothing else: `Number` would also accept `1e3`, signs and white space.
  if (unit === "s" || unit === "ms")
    return /^\d{1,15}$/.test(text) ? Number(text) * (unit === "s" ? 1000 : 1) : malformed(unit);
  const written = unit === "iso-utc" ? `${text}Z` : text;
  // Nanoseconds are cut off, because `Date.parse` need not read more than milliseconds.
  const epochMs = (unit === "http" ? httpDate : instant).test(written)
    ? Date.parse(written.replace(/(\.\d{3})\d+/, "$1"))
    : Number.NaN;
  return Number.isNaN(epochMs) ? malformed(unit) : epochMs;
};

/** Writes a time as the sender does. */
export const formatTime = (epochMs: number, unit: TimeUnit): string => {
  if (unit === "s") return String(Math.floor(epochMs / 1000));
  if (unit === "ms") return String(epochMs);
  const date = new Date(epochMs);
  return unit === "http" ? date.toUTCString() : date.toISOString().slice(0, unit === "iso" ? undefined : -1);
};
