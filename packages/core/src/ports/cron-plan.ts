/** When something is to happen again and again. */
export interface CronTimes {
  /** Minute, hour, day of month, month, day of week: the five fields of cron. */
  readonly cron: string;
  /** An IANA time zone, e.g. `Europe/Berlin`. */
  readonly timeZone: string;
}

/** Reads cron expressions. Driven port; `cronPlanContract` is its definition in code. It knows no clock: the caller says when. */
export interface CronPlan {
  /** @throws TypeError, in words for whoever wrote it, for what is no expression of five fields or no time zone. */
  check(times: CronTimes): void;
  /**
   * The minutes that match, after `after` and not after `until` (milliseconds since the epoch), oldest first, at the most a week of them. A local
   * time that a change of the clocks skips does not come; one that it repeats comes twice.
   */
  between(times: CronTimes, after: number, until: number): readonly number[];
}
