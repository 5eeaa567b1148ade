import {
  type ClaimedJob,
  type Job,
  type JobEnd,
  type JobState,
  type JobStore,
  jobStates,
  type NewJob,
  type RunnerRecord,
} from "../ports/job-store.ts";
import type { Journal } from "./journal.ts";

/** A job with what only the store knows of it. */
export interface MemoryJob extends Job {
  readonly priority: number;
  readonly payload: unknown;
  readonly runnerId: number | undefined;
  readonly lease: number | undefined;
  /** The job that a replay put in this one's place. */
  readonly replacedBy: number | undefined;
}

export interface JobTables {
  readonly jobs: Map<number, MemoryJob>;
  readonly runners: Map<number, RunnerRecord>;
  /** Never used twice, not even after a rollback. */
  nextId(): number;
}

export const newMemoryJob = (
  id: number,
  job: NewJob,
  more: { readonly eventId?: number; readonly replayOf?: number; readonly now: number },
): MemoryJob => ({
  id,
  eventId: more.eventId,
  kind: job.kind,
  queue: job.queue ?? "default",
  priority: job.priority ?? 0,
  state: job.dueAt === undefined ? "ready" : "scheduled",
  attempt: 0,
  maxAttempts: job.maxAttempts,
  losses: 0,
  dueAt: job.dueAt,
  payload: job.payload,
  lastError: undefined,
  replayOf: more.replayOf,
  replacedBy: undefined,
  runnerId: undefined,
  lease: undefined,
  createdAt: more.now,
  startedAt: undefined,
  finishedAt: undefined,
});

const claimOrder = (left: MemoryJob, right: MemoryJob): number => left.priority - right.priority || left.id - right.id;

const ended = (job: MemoryJob, end: JobEnd, now: number): MemoryJob => {
  const free = { ...job, runnerId: undefined };
  switch (end.to) {
    case "done":
      return { ...free, state: "done", finishedAt: now };
    case "dead":
      return { ...free, state: "dead", finishedAt: now, lastError: end.error };
    case "scheduled":
      return { ...free, state: "scheduled", dueAt: end.at, lastError: end.error };
    case "ready":
      return { ...free, state: "ready", attempt: job.attempt - 1 };
  }
};

const toJob = ({ priority, payload, runnerId, lease, replacedBy, ...job }: MemoryJob): Job => job;

export const memoryJobs = ({ jobs, runners, nextId }: JobTables, journal: Journal): JobStore => {
  const inState = (state: JobState): MemoryJob[] => [...jobs.values()].filter((job) => job.state === state);
  const put = (job: MemoryJob): void => journal.set(jobs, job.id, job);

  return {
    enqueue: async (newJobs, now) =>
      newJobs.map((newJob) => {
        const job = newMemoryJob(nextId(), newJob, { now });
        put(job);
        return job.id;
      }),
    claim: async ({ runnerId, queue, limit, now }) => {
      const chosen = inState("ready")
        .filter((job) => job.queue === queue)
        .toSorted(claimOrder)
        .slice(0, limit);
      return chosen.map((job): ClaimedJob => {
        const lease = nextId();
        const claimed: MemoryJob = {
          ...job,
          state: "running",
          attempt: job.attempt + 1,
          runnerId,
          lease,
          startedAt: now,
          dueAt: undefined,
        };
        put(claimed);
        const { id, kind, attempt, maxAttempts, losses, eventId, payload, createdAt } = claimed;
        return { id, lease, kind, queue, attempt, maxAttempts, losses, eventId, payload, createdAt };
      });
    },
    finish: async (outcomes, now) =>
      outcomes.map(({ job: { id, lease }, end }) => {
        const job = jobs.get(id);
        if (job === undefined || job.state !== "running" || job.lease !== lease) return false;
        put(ended(job, end, now));
        return true;
      }),
    promoteDue: async (now) => {
      const due = inState("scheduled").filter((job) => (job.dueAt ?? 0) <= now);
      for (const job of due) put({ ...job, state: "ready", dueAt: undefined });
      return due.length;
    },
    nextDueAt: async () => {
      const times = inState("scheduled").map((job) => job.dueAt ?? 0);
      return times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time));
    },
    find: async (id) => {
      const job = jobs.get(id);
      return job === undefined ? undefined : toJob(job);
    },
    list: async ({ eventId, state, kind, before, limit }) =>
      [...jobs.values()]
        .filter(
          (job) =>
            (eventId === undefined || job.eventId === eventId) &&
            (state === undefined || job.state === state) &&
            (kind === undefined || job.kind === kind) &&
            (before === undefined || job.id < before),
        )
        .toSorted((left, right) => right.id - left.id)
        .slice(0, limit)
        .map(toJob),
    countByState: async () => {
      const counts: Record<string, number> = Object.fromEntries(Object.keys(jobStates).map((state) => [state, 0]));
      for (const { state } of jobs.values()) counts[state] = (counts[state] ?? 0) + 1;
      // Filled from the table of states just above.
      return counts as Record<JobState, number>;
    },
    registerRunner: async (name) => {
      const id = nextId();
      journal.set(runners, id, { id, name, beat: 0 });
      return id;
    },
    beat: async (runnerId) => {
      const runner = runners.get(runnerId);
      if (runner === undefined) return false;
      journal.set(runners, runnerId, { ...runner, beat: runner.beat + 1 });
      return true;
    },
    liveRunners: async () => [...runners.values()],
    recoverRunner: async (runnerId, { now, maxLosses, delayMs }) => {
      if (!runners.has(runnerId)) return undefined;
      journal.delete(runners, runnerId);
      const lost = inState("running").filter((job) => job.runnerId === runnerId);
      let dead = 0;
      for (const job of lost) {
        const losses = job.losses + 1;
        const error = `its runner died ${losses} ${losses === 1 ? "time" : "times"} while it ran`;
        const isDead = losses >= maxLosses;
        if (isDead) dead += 1;
        const end: JobEnd = isDead ? { to: "dead", error } : { to: "scheduled", at: now + delayMs(losses), error };
        put({ ...ended(job, end, now), losses });
      }
      return { recovered: lost.length - dead, dead };
    },
    retireRunner: async (runnerId) => journal.delete(runners, runnerId),
  };
};
