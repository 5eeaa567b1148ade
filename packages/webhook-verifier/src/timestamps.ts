import { refuse } from "./errors.ts";

/**
 * How a sender writes its time: Unix seconds or milliseconds in digits, or an ISO 8601 / RFC 3339
 * instant.
 */
export type TimeUnit = "s" | "ms" | "iso";

// Year, month, day, time, any fraction, and an offset. Without an offset the instant would depend
// on this machine's zone.
const instant = /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/;

const malformed = (unit: TimeUnit): never => refuse("timestamp_malformed", `The time is not written in ${unit}.`);

/**
 * Converts a written time to milliseconds since the epoch. @throws WebhookVerificationError
 * `timestamp_malformed`
 */
export const parseTime = (text: string, unit: TimeUnit): number => {
  // At most 15 digits and nothing else: `Number` would also accept `1e3`, signs and white space.
  if (unit !== "iso") return /^\d{1,15}$/.test(text) ? Number(text) * (unit === "s" ? 1000 : 1) : malformed(unit);
  // Nanoseconds are cut off, because `Date.parse` need not read more than milliseconds.
  const epochMs = instant.test(text) ? Date.parse(text.replace(/(\.\d{3})\d+/, "$1")) : Number.NaN;
  return Number.isNaN(epochMs) ? malformed(unit) : epochMs;
};

/** Writes a time as the sender does. */
export const formatTime = (epochMs: number, unit: TimeUnit): string =>
  unit === "s" ? String(Math.floor(epochMs / 1000)) : unit === "ms" ? String(epochMs) : new Date(epochMs).toISOString();
