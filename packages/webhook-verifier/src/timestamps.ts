import { refuse } from "./errors.ts";

/** How a sender writes its time: Unix seconds or milliseconds in digits, or an ISO 8601 / RFC 3339 instant. */
export type TimeUnit = "s" | "ms" | "iso";

// Year, month, day, time, any fraction, and an offset: without one the instant would depend on this machine's zone.
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})$/;

const malformed = (unit: TimeUnit): never => refuse("timestamp_malformed", `The time is not written in ${unit}.`);

/** Digits only, at most 15 of them: `parseInt` would also take `1e3`, `12abc` and signs. */
const digits = (text: string, unit: TimeUnit): number => {
  if (text.length === 0 || text.length > 15) return malformed(unit);
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return malformed(unit);
    value = value * 10 + digit;
  }
  return value;
};

/** Epoch milliseconds of a time as written. @throws WebhookVerificationError `timestamp_malformed` */
export const parseTime = (text: string, unit: TimeUnit): number => {
  if (unit === "s") return digits(text, unit) * 1000;
  if (unit === "ms") return digits(text, unit);
  // Nanoseconds are cut: Date.parse need not know more than milliseconds.
  const epochMs = instant.test(text) ? Date.parse(text.replace(/(\.\d{3})\d+/, "$1")) : Number.NaN;
  return Number.isNaN(epochMs) ? malformed(unit) : epochMs;
};

/** A time as the sender writes it. */
export const formatTime = (epochMs: number, unit: TimeUnit): string =>
  unit === "s" ? String(Math.floor(epochMs / 1000)) : unit === "ms" ? String(epochMs) : new Date(epochMs).toISOString();
