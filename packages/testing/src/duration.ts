const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Milliseconds, or a text such as `90s`, `5m`, `24h`, `3d`, in milliseconds.
 * @throws TypeError for anything else.
 */
export const durationMs = (duration: number | string): number => {
  const [, amount = "", unit = ""] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const ms = typeof duration === "number" ? duration : Number(amount) * (unitMs[unit] ?? Number.NaN);
  if (ms >= 0 && Number.isFinite(ms)) return ms;
  throw new TypeError(`a duration is a number of milliseconds, or a text such as 90s, 5m, 24h or 3d, not ${duration}`);
};
