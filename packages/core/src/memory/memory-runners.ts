import { afterLoss } from "../job-rules/job-life-cycle.ts";
import type { GivenUpJob, RecoveryPolicy, RunnerRecord, Runners } from "../ports/runners.ts";
import { beaten, endMemoryJob, type JobTables, jobsIn, type MemoryJob } from "./job-tables.ts";
import type { Journal } from "./journal.ts";

/** A new runner. */
const atStart = { beat: 0, isIdle: false, dead: false, stopping: false } as const;

export const memoryRunners = (tables: JobTables, journal: Journal): Runners => {
  const { jobs, runners, nextToken } = tables;
  const live = (): readonly RunnerRecord[] =>
    [...runners.values()].filter(({ dead }) => !dead).map(({ dead: _dead, stopping: _stopping, ...runner }) => runner);
  const takeBack = (
    lost: readonly MemoryJob[],
    runner: { readonly stopping: boolean },
    policy: RecoveryPolicy,
  ): { readonly recovered: number; readonly dead: readonly GivenUpJob[] } => {
    const dead: GivenUpJob[] = [];
    let recovered = 0;
    for (const job of lost) {
      const { end, losses, suspect } = afterLoss(job, runner, policy);
      // Without the lease, because its holder has not ended the attempt.
      endMemoryJob(tables, journal, { ...job, losses, suspect, lease: undefined }, { end, now: policy.now });
      const state = jobs.get(job.id)?.state;
      if (state === "dead") dead.push({ id: job.id, kind: job.kind, eventId: job.eventId, losses });
      if (state === "scheduled") recovered += 1;
    }
    return { recovered, dead };
  };
  return {
    register: async ({ name, kinds, limits }, now) => {
      const id = nextToken();
      journal.set(runners, id, { id, name, kinds, limits, ...atStart, beatAt: now });
      return id;
    },
    beat: async (runnerId, now) => {
      const runner = runners.get(runnerId);
      if (runner === undefined || runner.dead) return false;
      journal.set(runners, runnerId, beaten(runner, now, false));
      return true;
    },
    rest: async (runnerId, now) => {
      const runner = runners.get(runnerId);
      if (runner === undefined || runner.dead) return undefined;
      const isIdle = (["ready", "running", "blocked"] as const).every((state) => jobsIn(tables, state).length === 0);
      if (isIdle) journal.set(runners, runnerId, beaten(runner, now, true));
      const dueAt = jobsIn(tables, "scheduled").flatMap((job) => job.dueAt ?? []);
      return {
        isIdle,
        live: live(),
        dueAt: dueAt.length === 0 ? undefined : Math.min(...dueAt),
        databaseTime: undefined,
      };
    },
    live: async () => live(),
    running: async (runnerId, ids) =>
      jobsIn(tables, "running").flatMap(({ id, lease, cancelAt, runnerId: owner }) =>
        owner === runnerId && lease !== undefined && ids?.includes(id) !== false ? [{ id, lease, cancelAt }] : [],
      ),
    recover: async (runnerId, policy) => {
      const runner = runners.get(runnerId);
      if (runner === undefined || runner.dead) return undefined;
      journal.set(runners, runnerId, { ...runner, dead: true });
      return takeBack(
        jobsIn(tables, "running").filter((running) => running.runnerId === runnerId),
        runner,
        policy,
      );
    },
    strayLookMs: 30_000,
    heldOrOrphaned: async (runnerId) =>
      jobsIn(tables, "running").flatMap(({ id, lease, cancelAt, runnerId: owner }) => {
        const isAlive = runners.get(owner ?? -1)?.dead === false;
        return lease !== undefined && (owner === runnerId || !isAlive) ? [{ id, lease, cancelAt }] : [];
      }),
    takeBack: async (leases, policy) =>
      takeBack(
        jobsIn(tables, "running").filter((job) => leases.some(({ id, lease }) => job.id === id && job.lease === lease)),
        { stopping: false },
        policy,
      ),
    stopping: async (runnerId) => {
      const runner = runners.get(runnerId);
      if (runner !== undefined) journal.set(runners, runnerId, { ...runner, stopping: true });
    },
    databaseTime: async () => undefined,
    retire: async (runnerId) => {
      if (jobsIn(tables, "running").some((job) => job.runnerId === runnerId)) return;
      if (runners.get(runnerId)?.dead === false) journal.delete(runners, runnerId);
    },
  };
};
