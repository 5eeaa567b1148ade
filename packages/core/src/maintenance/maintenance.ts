import { Snooze } from "../jobs/handler-context.ts";
import { type Schedule, schedule } from "../jobs/schedule.ts";
import type { Expiring } from "../ports/housekeeping.ts";
import type { Ports } from "../ports/index.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long things are kept, in days. */
export type Retention = Readonly<Record<Expiring, number>>;

/**
 * A sender's repeat is known for as long as its event is kept; 35 days are longer than any sender tries. Bodies, where people's data are, go earlier.
 */
export const defaultRetention: Retention = {
  done_jobs: 1,
  cancelled_jobs: 7,
  dead_jobs: 35,
  events: 35,
  bodies: 14,
  runners: 1,
  slots: 8,
  audit: 400,
};

const batch = 1000;
/** Between two batches, so that nobody waits long behind the deletions. */
const pauseMs = 50;

/** With so many jobs waiting in a queue, deletions would only make them wait longer. */
const manyWaiting = 1000;
/** At this hour (UTC) nobody waits for the jobs: a queue that nobody works must not fill the disk. */
const regardlessHour = 3;

/** What every installation does by itself, as jobs like any others: listed, retried and run once over all processes. */
export const maintenanceSchedules = (
  ports: Pick<Ports, "storage" | "clock" | "telemetry">,
  retention: Retention,
): readonly Schedule[] => [
  schedule("postern.prune", "17 * * * *", async ({ slot }, { signal, log }) => {
    const { storage, clock } = ports;
    const regardless = Math.floor(slot / hourMs) % 24 === regardlessHour;
    let gaveUp = false;
    /** Stops while a queue is behind, and goes on a minute later; the next hour has a job of its own. */
    const giveWay = async (): Promise<boolean> => {
      if (regardless || gaveUp) return gaveUp;
      const behind = (await storage.queues.list()).find(({ paused, ready }) => !paused && ready > manyWaiting);
      if (behind === undefined) return false;
      if (clock.now() - slot < hourMs - minuteMs) throw new Snooze(minuteMs, `queue ${behind.name} is behind`);
      log("warn", "nothing was deleted for an hour because a queue is behind", {
        queue: behind.name,
        waiting: behind.ready,
      });
      gaveUp = true;
      return true;
    };
    const rest = (): Promise<void> => new Promise((resolve) => void clock.after(pauseMs, resolve));
    const until = async (what: string, remove: () => Promise<number>): Promise<void> => {
      let removed = 0;
      for (let count = batch; count === batch && !signal.aborted && !(await giveWay()); ) {
        count = await remove();
        removed += count;
        if (count === batch) await rest();
      }
      if (removed === 0) return;
      ports.telemetry.count("pruned", { what }, removed);
      log("info", "deleted what was kept long enough", { what, rows: removed });
    };
    // The keys of the table that the type is made from.
    for (const [what, days] of Object.entries(retention) as [Expiring, number][]) {
      const before = clock.now() - days * dayMs;
      await until(what, () => storage.housekeeping.prune(what, before, batch));
    }
    await until("answers", () => storage.answers.purge(clock.now(), batch));
  }),
  schedule("postern.checkpoint", "43 3 * * *", () => ports.storage.housekeeping.checkpoint(), { missed: "skip" }),
];
