import { refuse } from "./errors.ts";

/** How a sender writes its time: Unix seconds or milliseconds in digits, or an ISO 8601 / RFC 3339 instant. */
export type TimeUnit = "s" | "ms" | "iso";

// Year, month, day, time, any fraction, and an offset: without one the instant would depend on this machine's zone.
const instant = /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/;

const malformed = (unit: TimeUnit): never => refuse("timestamp_malformed", `The time is not written in ${unit}.`);

/** Epoch milliseconds of a time as written. @throws WebhookVerificationError `timestamp_malformed` */
export const parseTime = (text: string, unit: TimeUnit): number => {
  // Digits only, at most 15 of them: `Number` would also take `1e3`, signs and white space.
  if (unit !== "iso") return /^\d{1,15}$/.test(text) ? Number(text) * (unit === "s" ? 1000 : 1) : malformed(unit);
  // Nanoseconds are cut: Date.parse need not know more than milliseconds.
  const epochMs = instant.test(text) ? Date.parse(text.replace(/(\.\d{3})\d+/, "$1")) : Number.NaN;
  return Number.isNaN(epochMs) ? malformed(unit) : epochMs;
};

/** A time as the sender writes it. */
export const formatTime = (epochMs: number, unit: TimeUnit): string =>
  unit === "s" ? String(Math.floor(epochMs / 1000)) : unit === "ms" ? String(epochMs) : new Date(epochMs).toISOString();
