import { CommandError, exitCodes } from "./terminal.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads `24h` (that long ago) or a time, and returns RFC 3339.
 * @throws CommandError that names the option.
 */
export const momentOf = (option: string, text: string): string => {
  const [, amount, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const at = amount === undefined ? Date.parse(text) : Date.now() - Number(amount) * (unitMs[unit] ?? 0);
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new CommandError(exitCodes.usage, `${option} takes 30m, 24h, 7d or an RFC 3339 time, not ${text}.`);
};

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `90s`, `30m`, `24h` or `7d` in seconds. @throws CommandError that names the option. */
export const secondsOf = (option: string, text: string): number => {
  const [, amount, unit = "s"] = /^(\d{1,7})([smhd]?)$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * (unitSeconds[unit === "" ? "s" : unit] ?? 1);
  throw new CommandError(exitCodes.usage, `${option} takes 90s, 30m, 24h or 7d, not ${text}.`);
};
