import type { NewJob, Ports } from "@postern/core";
import { oneOf, option, refuseFaults, required } from "@postern/core/internal";
import type { CronTimes, ScheduleState } from "@postern/core/ports";
import type { HandlerContext } from "./handler-context.ts";
import { type JobHandler, type JobOptions, jobFaults, jobOf, jobSettings } from "./job-handler.ts";

/** The time of the schedule that a run belongs to. */
export interface Slot {
  /** Milliseconds since the epoch. */
  readonly slot: number;
}

/** Work that starts at set times. Each time becomes one job, over all processes. */
export interface Schedule extends CronTimes, JobHandler<Slot> {
  /** What happens to missed times: those that passed while no process ran, in the last week. */
  readonly missed: "skip" | "last" | "all";
  /** Whether a time starts no job while one of the schedule waits or runs. Default: false. */
  readonly alone?: boolean;
  /**
   * Asked when a time has come: false if that time starts no job. For a schedule that skips missed times
   * and has work rarely. If it fails, the job starts and tells why.
   */
  readonly isNeeded?: () => Promise<boolean>;
}

export interface ScheduleOptions extends JobOptions {
  /** IANA name. Default UTC. */
  readonly timeZone?: string;
  /**
   * Default `last`: of the missed times, only the newest runs. `all`: each runs, at most the newest
   * 1,000. `skip`: none. A time is missed when it is found more than 90 seconds late. Only the times of
   * the last week are looked for.
   */
  readonly missed?: Schedule["missed"];
  /**
   * With `true`, a time that comes while a job of this schedule waits or runs starts no other, over all
   * processes. Default `false`: runs overlap.
   */
  readonly alone?: boolean;
}

/**
 * Declares work that starts at the minutes of a cron expression with five fields, or at `@hourly`,
 * `@daily`, `@weekly`, `@monthly` or `@yearly`. `L` is the last day of the month. If a run is not
 * finished when the next time comes, the next one runs in parallel, unless `alone` or the queue's
 * limit prevents it.
 *
 * Day of month and day of week must both match: `0 0 13 * 5` is midnight of each Friday the 13th. The
 * local times of `timeZone` count. A time of the day that the clocks skip in spring runs right after the
 * gap; one that they repeat in autumn runs once. With `*` in the minute or the hour, runs follow real
 * time. The times come by the database's clock.
 *
 *     schedule("report", "0 6 * * 1", async ({ slot }, context) => { … }, { timeZone: "Europe/Berlin" })
 *
 * @throws DeclarationError for an invalid name, option or function.
 */
export const schedule = (
  name: string,
  cron: string,
  run: (payload: Slot, context: HandlerContext) => Promise<unknown>,
  { timeZone = "UTC", missed = "last", alone = false, ...options }: ScheduleOptions = {},
): Schedule => {
  const made: Schedule = { ...jobSettings(name, options), cron, timeZone, missed, alone, run };
  refuseFaults(scheduleFaults(made));
  return made;
};

/**
 * What is wrong with a schedule's declaration. The plan decides whether its cron expression can be
 * read.
 */
export const scheduleFaults = (made: unknown, at = "schedule"): readonly string[] =>
  jobFaults(made, at, {
    cron: required(option.aText),
    timeZone: required(option.aText),
    missed: required(oneOf("skip", "last", "all")),
    alone: option.trueOrFalse,
    isNeeded: option.aFunction,
  });

/** The job of one time of a schedule. */
export const jobAt = (one: Schedule, slot: number): NewJob => ({
  ...jobOf(one),
  payload: { slot },
  ...(one.alone === true ? { unique: { key: `schedule ${one.name}` } } : {}),
});

export interface Scheduler {
  /**
   * Enqueues a job for each time that has come and that no process has taken. Returns how many
   * jobs, and how many milliseconds until the next look.
   */
  fire(): Promise<{ readonly fired: number; readonly againInMs: number }>;
}

/** A time that is found this late was missed. */
const lateMs = 90_000;
const mostCatchUp = 1000;
const minuteMs = 60_000;

type SchedulerPorts = Pick<Ports, "storage" | "cronPlan" | "telemetry" | "wakeup"> & {
  readonly clock: Pick<Ports["clock"], "now">;
};

/** When to look again at a schedule whose next time is too far away to be found. */
const farMs = 365 * 24 * 3600 * 1000;

/**
 * Every process looks at every schedule. The database's key over name and time lets one of them win each time. There
 * is no leader and no lock. Nothing is lost between winning and enqueueing, because they are one transaction.
 *
 * Each process remembers the next time of each schedule, so that a minute in which none has come costs a comparison
 * for each and nothing else.
 */
export const createScheduler = (
  { storage, clock, cronPlan, telemetry, wakeup }: SchedulerPorts,
  schedules: readonly Schedule[],
): Scheduler => {
  /** No time of the schedule comes before this one. */
  const nextOf = new Map<Schedule, number>();
  let lookedAt = 0;

  for (const { name } of schedules) telemetry.count("schedules_fired", { schedule: name }, 0);

  const slotsOf = async (one: Schedule, state: ScheduleState | undefined, now: number): Promise<readonly number[]> => {
    if (state?.pausedAt !== undefined) return [];
    // Of a schedule that has never fired, the times before it was first seen do not count as missed.
    const taken = (await storage.scheduleSlots.last(one.name)) ?? state?.seenAt ?? now;
    const last = Math.max(taken, state?.resumedAt ?? 0);
    const from = one.missed === "skip" ? Math.max(last, now - lateMs - 1) : last;
    const slots = from >= now ? [] : cronPlan.between(one, from, now);
    // The times at which it was not needed were not taken.
    if (one.isNeeded !== undefined) return slots.slice(-1);
    const missed = slots.filter((slot) => slot < now - lateMs);
    const due = slots.slice(missed.length);
    if (one.missed === "all") return slots.slice(-mostCatchUp);
    if (one.missed === "skip" || due.length > 0) return due;
    return missed.slice(-1);
  };

  const fireOne = async (one: Schedule, state: ScheduleState | undefined, now: number): Promise<number> => {
    let fired = 0;
    for (const slot of await slotsOf(one, state, now)) {
      const job = jobAt(one, slot);
      if (!(await storage.scheduleSlots.fire({ name: one.name, slot, job }, now))) continue;
      fired += 1;
      telemetry.count("schedules_fired", { schedule: one.name });
    }
    nextOf.set(one, cronPlan.next(one, now) ?? now + farMs);
    return fired;
  };

  /** Whether one whose time has come starts a job. The first look notes that it was seen. */
  const starts = async (one: Schedule, now: number): Promise<boolean> => {
    if (one.isNeeded === undefined || !nextOf.has(one) || (await one.isNeeded().catch(() => true))) return true;
    nextOf.set(one, cronPlan.next(one, now) ?? now + farMs);
    return false;
  };

  return {
    fire: async () => {
      const now = clock.now();
      // A clock that was set back reaches the same times again.
      if (now < lookedAt) nextOf.clear();
      lookedAt = now;
      const due: Schedule[] = [];
      for (const one of schedules) if (now >= (nextOf.get(one) ?? now) && (await starts(one, now))) due.push(one);
      const states = due.length === 0 ? [] : await storage.scheduleSlots.states();
      const stateOf = new Map(states.map((state) => [state.name, state]));
      const unseen = due.filter(({ name }) => stateOf.get(name)?.seenAt === undefined).map(({ name }) => name);
      if (unseen.length > 0) await storage.scheduleSlots.see(unseen, now);
      let fired = 0;
      for (const one of due) fired += await fireOne(one, stateOf.get(one.name), now);
      if (fired > 0) wakeup.notify();
      // Slots are whole minutes, so looking a little after each minute is soon enough.
      return { fired, againInMs: minuteMs - (clock.now() % minuteMs) + 5 };
    },
  };
};
