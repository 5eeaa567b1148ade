import { givenUpStates } from "../job-rules/job-life-cycle.ts";
import { type Job, type JobState, jobStates } from "../ports/job.ts";
import type { FailureCause, FailureCauses, JobFilter, JobRecords } from "../ports/job-records.ts";
import {
  comeDue,
  endMemoryJob,
  hasEnded,
  type JobTables,
  type MemoryJob,
  putMemoryJob,
  replaceMemoryJob,
} from "./job-tables.ts";
import type { Journal } from "./journal.ts";

const toJob = ({
  payload,
  uniqueKey,
  uniqueName,
  suspect,
  runnerId,
  lease,
  readyAt,
  readyOrder,
  place,
  committed,
  afterCommit,
  replacedBy,
  onRetry,
  onDead,
  hasTurn,
  ...job
}: MemoryJob): Job => ({ ...job, holdsTurn: hasTurn && job.state === "dead" });

/** `JobRecords.causes` */
const causesOf = ({ jobs, failures }: JobTables, since: number, limit: number): FailureCauses => {
  const all = [...failures].flatMap(([jobId, kept]) => {
    const job = jobs.get(jobId);
    const about = { jobId, eventId: job?.eventId, kind: job?.kind ?? "" };
    return kept.filter(({ at }) => at >= since).map((failure) => ({ ...about, ...failure }));
  });
  const causes = new Map<string, FailureCause>();
  // So the last one of a cause is its example.
  for (const one of all.toSorted((left, right) => (left.eventId ?? 0) - (right.eventId ?? 0) || left.at - right.at)) {
    const { cause: id, attempt: _attempt, log: _log, afterCommit: _afterCommit, ...example } = one;
    const before = causes.get(id) ?? { failures: 0, firstAt: one.at, lastAt: one.at };
    causes.set(id, {
      id,
      failures: before.failures + 1,
      firstAt: Math.min(before.firstAt, one.at),
      lastAt: Math.max(before.lastAt, one.at),
      example,
    });
  }
  const most = [...causes.values()].toSorted(
    (left, right) => right.failures - left.failures || (left.id < right.id ? -1 : 1),
  );
  return { failures: all.length, causes: most.slice(0, limit) };
};

/** So many ids on each side are looked at for neighbours. */
const nearIds = 10_000;

export const memoryJobRecords = (tables: JobTables, journal: Journal): JobRecords => {
  const { jobs, failures, events } = tables;
  const narrowed = (filter: JobFilter): readonly MemoryJob[] => {
    const { eventId, state, kind, queue, current, kinds, cause, provider, since, until } = filter;
    return [...jobs.values()].filter(
      (job) =>
        (eventId === undefined || job.eventId === eventId) &&
        (state === undefined || job.state === state) &&
        (kind === undefined || job.kind === kind) &&
        (queue === undefined || job.queue === queue) &&
        (current === undefined || job.replacedBy === undefined) &&
        (cause === undefined || failures.get(job.id)?.at(-1)?.cause === cause) &&
        (provider === undefined || events.get(job.eventId ?? -1)?.provider === provider) &&
        (since === undefined || job.createdAt >= since) &&
        (until === undefined || job.createdAt < until) &&
        (kinds === undefined || ("in" in kinds ? kinds.in.includes(job.kind) : !kinds.notIn.includes(job.kind))),
    );
  };
  return {
    find: async (id) => {
      const job = jobs.get(id);
      return job === undefined ? undefined : toJob(job);
    },
    list: async ({ before, after, limit, ...filter }) =>
      narrowed(filter)
        .filter(({ id }) => (before === undefined || id < before) && (after === undefined || id > after))
        .toSorted((left, right) => (after === undefined ? right.id - left.id : left.id - right.id))
        .slice(0, limit)
        .map(toJob),
    count: async ({ after = 0, ...filter }, atMost) =>
      Math.min(narrowed(filter).filter(({ id }) => id > after).length, atMost),
    neighbours: async (id, limit) => {
      const orderKey = jobs.get(id)?.orderKey;
      const same = [...jobs.values()]
        .filter((job) => orderKey !== undefined && job.orderKey === orderKey && Math.abs(job.id - id) <= nearIds)
        .toSorted((left, right) => left.id - right.id);
      const before = same.filter((job) => job.id < id).toReversed();
      const after = same.filter((job) => job.id > id);
      return { before: before.slice(0, limit).map(toJob), after: after.slice(0, limit).map(toJob) };
    },
    failures: async (id, limit) =>
      (failures.get(id) ?? []).slice(-limit).map(({ cause: _cause, ...failure }) => failure),
    causes: async ({ since, limit }) => causesOf(tables, since, limit),
    countByState: async () => {
      const counts: Record<string, number> = Object.fromEntries(Object.keys(jobStates).map((state) => [state, 0]));
      for (const { state, replacedBy } of jobs.values())
        if (state !== "dead" || replacedBy === undefined) counts[state] = (counts[state] ?? 0) + 1;
      // The table of states just above fills every member.
      return counts as Record<JobState, number>;
    },
    cancel: async (id, now) => {
      const job = jobs.get(id);
      if (job === undefined || (hasEnded(job) && !job.hasTurn)) return undefined;
      if (job.state === "running") {
        journal.set(jobs, job.id, { ...job, cancelAt: job.cancelAt ?? now });
        return "requested";
      }
      endMemoryJob(tables, journal, job, { end: { to: "cancelled" }, now });
      return "cancelled";
    },
    retry: async (id, now) => {
      const job = jobs.get(id);
      if (job === undefined) return undefined;
      if (job.state === "scheduled") {
        putMemoryJob(tables, journal, comeDue([...jobs.values()], job, now));
        return id;
      }
      if (!givenUpStates.includes(job.state) || job.replacedBy !== undefined) return undefined;
      const event = job.eventId === undefined ? undefined : events.get(job.eventId);
      if (job.eventId !== undefined && event?.body === undefined) return undefined;
      if (event?.disposition === "discarded") return undefined;
      return replaceMemoryJob(tables, journal, job, { now });
    },
  };
};
