const named: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/**
 * The fields of a cron expression. A name such as `@daily` stands for five of them.
 * @see https://man7.org/linux/man-pages/man5/crontab.5.html
 */
export const cronFields = (cron: string): readonly string[] => {
  const text = cron.trim();
  return (named[text.toLowerCase()] ?? text).split(/\s+/);
};

/**
 * Whether an expression names times of the day. If it has `*` in the minute or the hour, it names
 * a rhythm instead, which follows real time when clocks change.
 * @see https://man7.org/linux/man-pages/man8/cron.8.html "Daylight Saving Time"
 */
export const hasFixedTimes = ([minute = "", hour = ""]: readonly string[]): boolean =>
  !minute.startsWith("*") && !hour.startsWith("*");
