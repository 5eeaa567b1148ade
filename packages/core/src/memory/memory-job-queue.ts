import type { JobQueue } from "../ports/job-queue.ts";
import { comeDue, endMemoryJob, insertMemoryJob, isFree, type JobTables, jobsIn, passTurn } from "./job-tables.ts";
import type { Journal } from "./journal.ts";
import { memoryHandOut } from "./memory-hand-out.ts";

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
      const { runnerId, limit, now, globalLimit = Number.POSITIVE_INFINITY } = request;
      if (runners.get(runnerId)?.dead === true) return [];
      const running = jobsIn(tables, "running").filter(({ queue }) => queue === request.queue).length;
      return candidates(request)
        .slice(0, Math.max(0, Math.min(limit, globalLimit - running)))
        .map((job) => take(job, runnerId, now));
    },
    finish: async (outcomes, now) =>
      outcomes.map(({ job: { id, lease }, end: how }) => {
        const job = jobs.get(id);
        if (job === undefined || job.state !== "running" || job.lease !== lease) return false;
        endMemoryJob(tables, journal, job, how, now);
        return true;
      }),
    leaseState: async ({ id, lease }) => {
      const job = jobs.get(id);
      if (job?.lease !== lease) return "lost";
      return job.state === "running" ? "held" : "spent";
    },
    promoteDue: async (now) => {
      const due = jobsIn(tables, "scheduled").filter((job) => (job.dueAt ?? 0) <= now);
      for (const job of due) journal.set(jobs, job.id, comeDue([...jobs.values()], job, now));
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
