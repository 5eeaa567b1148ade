import type { CronTimes } from "../ports/cron-plan.ts";
import type { Ports } from "../ports/index.ts";
import type { HandlerContext } from "./handler-context.ts";
import { type JobHandler, type JobOptions, jobOf, jobSettings } from "./job-handler.ts";

/** The time that a run is for. */
export interface Slot {
  /** Milliseconds since the epoch. */
  readonly slot: number;
}

/** Work that begins at set times. Each time becomes one job, over all processes. */
export interface Schedule extends CronTimes, JobHandler<Slot> {
  /** What becomes of times that passed while no process ran, a week of them at the most. */
  readonly missed: "skip" | "last" | "all";
}

export interface ScheduleOptions extends JobOptions {
  /** IANA name; UTC unless given. */
  readonly timeZone?: string;
  /** `last` unless given: of what was missed, only the newest time runs. `all`: each does. `skip`: none. */
  readonly missed?: Schedule["missed"];
}

/**
 * Work that begins at the minutes which a cron expression of five fields names. A run that takes longer than until the next time runs beside it,
 * unless its retries and its queue's limit say otherwise.
 *
 *     schedule("report", "0 6 * * 1", async ({ slot }, context) => { … }, { timeZone: "Europe/Berlin" })
 *
 * @throws TypeError for a name or a queue that cannot be stored.
 */
export const schedule = (
  name: string,
  cron: string,
  run: (payload: Slot, context: HandlerContext) => Promise<void>,
  { timeZone = "UTC", missed = "last", ...options }: ScheduleOptions = {},
): Schedule => ({ ...jobSettings(name, options), cron, timeZone, missed, run });

export interface Scheduler {
  /** Enqueues a job for each time that has come and that no process has taken. How many jobs, and how long until it should look again. */
  fire(): Promise<{ readonly fired: number; readonly againInMs: number }>;
}

/** A time that is found so late has been missed. */
const lateMs = 90_000;
const mostCatchUp = 1000;
const minuteMs = 60_000;

/**
 * Every process looks at every schedule; the database's key over name and time lets one of them win each. No leader and no lock, and nothing is lost
 * between winning and enqueueing, because they are one transaction.
 */
export const createScheduler = ({
  schedules,
  ports,
}: {
  readonly schedules: readonly Schedule[];
  readonly ports: Pick<Ports, "storage" | "clock" | "cronPlan" | "telemetry" | "wakeup">;
}): Scheduler => {
  const { storage, clock, cronPlan, telemetry, wakeup } = ports;
  /** For schedules that have never fired: what came before this process is not missed. */
  const began = clock.now();

  const slotsOf = async (one: Schedule, now: number): Promise<readonly number[]> => {
    const last = (await storage.scheduleSlots.last(one.name)) ?? began;
    const slots = last >= now ? [] : cronPlan.between(one, last, now);
    const missed = slots.filter((slot) => slot < now - lateMs);
    const due = slots.slice(missed.length);
    if (one.missed === "all") return slots.slice(-mostCatchUp);
    if (one.missed === "skip" || due.length > 0) return due;
    return missed.slice(-1);
  };

  return {
    fire: async () => {
      const now = clock.now();
      let fired = 0;
      for (const one of schedules) {
        for (const slot of await slotsOf(one, now)) {
          const won = await storage.scheduleSlots.fire(
            { name: one.name, slot, job: { ...jobOf(one), payload: { slot } } },
            now,
          );
          if (!won) continue;
          fired += 1;
          telemetry.count("schedules_fired", { schedule: one.name });
        }
      }
      if (fired > 0) wakeup.notify();
      // Slots are whole minutes; a little after each is soon enough.
      return { fired, againInMs: minuteMs - (clock.now() % minuteMs) + 5 };
    },
  };
};
