import { CommandError, exitCodes } from "./terminal.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

// `Date.parse` alone reads almost anything: `90` as the year 1990, `5` as a day in May 2001.
const rfc3339 = /^\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))?$/;

/** The epoch milliseconds of an RFC 3339 time or day, which begins in UTC. `undefined` for others. */
export const timeOf = (text: string): number | undefined => {
  const at = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
};

const shifted = (option: string, text: string, direction: 1 | -1): string => {
  const [, amount, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const at = amount === undefined ? timeOf(text) : Date.now() + direction * Number(amount) * (unitMs[unit] ?? 0);
  // Years before 0 have no RFC 3339 form, and nothing here is older than 1970.
  if (at !== undefined) return new Date(Math.max(0, at)).toISOString();
  throw new CommandError(exitCodes.usage, `${option} takes 30m, 24h, 7d or an RFC 3339 time, not ${text}.`);
};

/**
 * Reads `24h` (that long ago) or an RFC 3339 time or day, and returns RFC 3339.
 * @throws CommandError that names the option.
 */
export const momentOf = (option: string, text: string): string => shifted(option, text, -1);

/**
 * Reads `90d` (that long from now) or an RFC 3339 time or day, and returns RFC 3339.
 * @throws CommandError that names the option.
 */
export const momentToCome = (option: string, text: string): string => shifted(option, text, 1);

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `90s`, `30m`, `24h` or `7d` in seconds. @throws CommandError that names the option. */
export const secondsOf = (option: string, text: string): number => {
  const [, amount, unit = "s"] = /^(\d{1,12})([smhd]?)$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * (unitSeconds[unit === "" ? "s" : unit] ?? 1);
  throw new CommandError(exitCodes.usage, `${option} takes 90s, 30m, 24h or 7d, not ${text}.`);
};

const distances = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
] as const;

/** A time by its distance: `5 m ago`, `in 3 h`. Below a second it is `now`. Both in epoch milliseconds. */
export const relativeTime = (at: number, now: number): string => {
  const distance = Math.abs(at - now);
  const [unit, name] = distances.find(([ms]) => distance >= ms) ?? [];
  if (unit === undefined) return "now";
  const text = `${Math.floor(distance / unit)} ${name}`;
  return at > now ? `in ${text}` : `${text} ago`;
};
