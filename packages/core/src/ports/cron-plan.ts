/** When something happens, repeatedly. */
export interface CronTimes {
  /** Minute, hour, day of month, month, day of week: the five fields of cron. */
  readonly cron: string;
  /** An IANA time zone, e.g. `Europe/Berlin`. */
  readonly timeZone: string;
}

/**
 * Reads cron expressions: numbers, `*`, ranges (`1-5`), steps (`8-18/2`), lists, and the first three
 * letters of English months and days. A minute matches when all five fields do: with a day of the
 * month and a day of the week, both must fit (`0 9 13 * 5` is Friday the 13th). Driven port;
 * `cronPlanContract` is its definition in code. It has no clock: the caller passes the times.
 */
export interface CronPlan {
  /**
   * @throws TypeError that explains what is wrong with the expression (it needs five fields) or the
   *   time zone.
   */
  check(times: CronTimes): void;
  /**
   * The matching minutes after `after`, up to and including `until` (milliseconds since the epoch),
   * oldest first, at most the last week. If clocks change, a local time that is skipped does not
   * occur, and one that is repeated occurs twice.
   */
  between(times: CronTimes, after: number, until: number): readonly number[];
  /** The first minute after `after` that matches; `undefined` when there is none within five years. */
  next(times: CronTimes, after: number): number | undefined;
}
