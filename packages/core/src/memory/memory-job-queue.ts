import type { JobQueue } from "../ports/job-queue.ts";
import {
  beaten,
  comeDue,
  endMemoryJob,
  insertMemoryJob,
  isFree,
  type JobTables,
  jobsIn,
  keepMemoryFailure,
  type MemoryJob,
  passTurn,
  putMemoryJob,
} from "./job-tables.ts";
import type { Journal } from "./journal.ts";
import { memoryHandOut } from "./memory-hand-out.ts";

/**
 * Among jobs that come due, those that rejoin the line of their order key come after the others.
 */
const linesUpAgain = ({ orderKey, onRetry }: MemoryJob): boolean => orderKey !== undefined && onRetry === "yield";

export const memoryJobQueue = (tables: JobTables, journal: Journal): JobQueue => {
  const { jobs, runners } = tables;
  const { candidates, take, fresh } = memoryHandOut(tables, journal);
  return {
    enqueue: async (newJobs, now) => newJobs.map((job) => insertMemoryJob(tables, journal, job, { now })),
    enqueueFor: async (offer, newJobs, now) => {
      const handOut = fresh(offer, now);
      const stored = newJobs.map((job) => [insertMemoryJob(tables, journal, job, { now }), job] as const);
      return { ids: stored.map(([id]) => id), claimed: handOut(stored) };
    },
    claim: async (request) => {
      const { runnerId, limit, now, endsIdle = false } = request;
      const runner = runners.get(runnerId);
      if (runner?.dead === true) return [];
      const found = candidates(request).slice(0, limit);
      if (endsIdle && runner !== undefined && found.length > 0) {
        journal.set(runners, runnerId, beaten(runner, now, false));
      }
      return found.map((job) => take(job, runnerId, now));
    },
    canClaim: async (request) => candidates(request).length > 0,
    finish: async (outcomes, now) => {
      const ended = new Set<number>();
      return outcomes.map(({ job: { id, lease }, end }) => {
        const job = jobs.get(id);
        if (job === undefined || job.state !== "running" || job.lease !== lease || ended.has(lease)) return false;
        ended.add(lease);
        if (end.to === "committed" && job.committed) return false;
        endMemoryJob(tables, journal, job, { end, now });
        return true;
      });
    },
    failAfterCommit: async ({ id, lease }, failed, now) => {
      const job = jobs.get(id);
      if (job?.lease !== lease || job.state !== "done" || job.afterCommit) return false;
      const next = { ...job, afterCommit: true, lastError: failed.error };
      journal.set(jobs, id, next);
      keepMemoryFailure(tables, journal, next, { failed, now });
      return true;
    },
    leaseState: async ({ id, lease }) => {
      const job = jobs.get(id);
      if (job?.lease !== lease) return "lost";
      if (job.state !== "running") return "spent";
      return job.committed ? "committed" : "held";
    },
    promoteDue: async (now) => {
      const due = jobsIn(tables, "scheduled")
        .filter((job) => (job.dueAt ?? 0) <= now)
        .toSorted(
          (left, right) =>
            Number(linesUpAgain(left)) - Number(linesUpAgain(right)) || (left.dueAt ?? 0) - (right.dueAt ?? 0),
        );
      for (const job of due) putMemoryJob(tables, journal, comeDue([...jobs.values()], job, now));
      return due.length;
    },
    nextDueAt: async () => {
      const times = jobsIn(tables, "scheduled").map((job) => job.dueAt ?? 0);
      return times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time));
    },
    repairTurns: async (now) => {
      const keys = new Set(jobsIn(tables, "blocked").flatMap(({ orderKey }) => orderKey ?? []));
      return [...keys].filter((key) => isFree([...jobs.values()], key) && passTurn(tables, journal, key, now)).length;
    },
  };
};
