/** When something happens, repeatedly. */
export interface CronTimes {
  /**
   * Minute, hour, day of month, month, day of week: the five fields of cron. Or `@hourly`, `@daily`,
   * `@weekly`, `@monthly` or `@yearly`.
   */
  readonly cron: string;
  /** An IANA time zone, e.g. `Europe/Berlin`. */
  readonly timeZone: string;
}

/**
 * Reads cron expressions: numbers, `*`, ranges (`1-5`), steps (`8-18/2`), lists, the first three
 * letters of English months and days, and `L` for the last day of the month. A minute matches when
 * all five fields do: with a day of the month and a day of the week, both must fit (`0 9 13 * 5` is
 * Friday the 13th).
 *
 * When clocks change, times of the day and rhythms differ, as in cron(8). An expression without `*`
 * in the minute and the hour names times of the day: a time that the clocks skip comes right after
 * the gap, and a time that they repeat comes once, the first time. An expression with `*` there
 * names a rhythm. It follows real time: what is skipped does not come, what is repeated comes again.
 *
 * Driven port; `cronPlanContract` is its definition in code. It has no clock: the caller passes the
 * times.
 */
export interface CronPlan {
  /**
   * @throws TypeError that explains what is wrong with the expression (it needs five fields) or the
   *   time zone.
   */
  check(times: CronTimes): void;
  /**
   * The matching minutes after `after`, up to and including `until` (milliseconds since the epoch),
   * oldest first, at most the last week.
   */
  between(times: CronTimes, after: number, until: number): readonly number[];
  /** The first minute after `after` that matches; `undefined` when there is none within five years. */
  next(times: CronTimes, after: number): number | undefined;
  /**
   * Of the minutes after `after` and up to `until`, those that come right after a gap because the
   * clocks skip their own local time. `postern doctor` names schedules that have any.
   */
  moved(times: CronTimes, after: number, until: number): readonly number[];
}
