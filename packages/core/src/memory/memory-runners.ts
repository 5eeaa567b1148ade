import type { Runners } from "../ports/runners.ts";
import { endMemoryJob, type JobTables, jobsIn } from "./job-tables.ts";
import type { Journal } from "./journal.ts";

const lossText = (losses: number): string =>
  `its runner died ${losses} ${losses === 1 ? "time" : "times"} while it ran`;

export const memoryRunners = (tables: JobTables, journal: Journal): Runners => {
  const { runners, nextId } = tables;
  return {
    register: async (name, now) => {
      const id = nextId();
      journal.set(runners, id, { id, name, beat: 0, beatAt: now, dead: false });
      return id;
    },
    beat: async (runnerId, now) => {
      const runner = runners.get(runnerId);
      if (runner === undefined || runner.dead) return false;
      journal.set(runners, runnerId, { ...runner, beat: runner.beat + 1, beatAt: now });
      return true;
    },
    live: async () =>
      [...runners.values()].filter(({ dead }) => !dead).map(({ id, name, beat }) => ({ id, name, beat })),
    running: async (runnerId) =>
      jobsIn(tables, "running").flatMap(({ id, lease, cancelAt, runnerId: owner }) =>
        owner === runnerId && lease !== undefined ? [{ id, lease, cancelAt }] : [],
      ),
    recover: async (runnerId, { now, maxLosses, suspectLosses, delayMs }) => {
      const runner = runners.get(runnerId);
      if (runner === undefined || runner.dead) return undefined;
      journal.set(runners, runnerId, { ...runner, dead: true });
      const totals = { recovered: 0, dead: 0 };
      for (const job of jobsIn(tables, "running").filter((running) => running.runnerId === runnerId)) {
        const losses = job.losses + 1;
        const error = lossText(losses);
        const isDead = losses >= maxLosses;
        // Without the lease: whoever held it has not ended the attempt.
        const lost = { ...job, losses, suspect: losses >= suspectLosses, lease: undefined };
        endMemoryJob(
          tables,
          journal,
          lost,
          isDead ? { to: "dead", error } : { to: "scheduled", at: now + delayMs(losses), error },
          now,
        );
        if (isDead) totals.dead += 1;
        else if (job.cancelAt === undefined) totals.recovered += 1;
      }
      return totals;
    },
    retire: async (runnerId) => {
      if (jobsIn(tables, "running").some((job) => job.runnerId === runnerId)) return;
      if (runners.get(runnerId)?.dead === false) journal.delete(runners, runnerId);
    },
  };
};
