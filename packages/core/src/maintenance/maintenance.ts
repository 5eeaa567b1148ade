import type { Settings } from "../environment.ts";
import { type Schedule, schedule } from "../jobs/schedule.ts";
import type { Expiring } from "../ports/housekeeping.ts";
import type { Ports } from "../ports/index.ts";

const dayMs = 24 * 3600_000;

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

/** What every installation does by itself, as jobs like any others: listed, retried and run once over all processes. */
export const maintenanceSchedules = (ports: Ports, { retention }: Pick<Settings, "retention">): readonly Schedule[] => [
  schedule("postern.prune", "17 * * * *", async (_slot, { signal, log }) => {
    const { storage, clock } = ports;
    const rest = (): Promise<void> => new Promise((resolve) => void clock.after(pauseMs, resolve));
    const until = async (what: string, remove: () => Promise<number>): Promise<void> => {
      let removed = 0;
      for (let count = batch; count === batch && !signal.aborted; ) {
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
