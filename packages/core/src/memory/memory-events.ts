import type { AcceptOutcome, EventState, EventStore, NewEvent, StoredEvent } from "../ports/event-store.ts";
import type { JobState } from "../ports/job-store.ts";
import type { Journal } from "./journal.ts";
import { type JobTables, type MemoryJob, newMemoryJob } from "./memory-jobs.ts";

export type MemoryEvent = Omit<NewEvent, "jobs"> & { readonly id: number; readonly repeats: number };

export interface EventTables {
  readonly events: Map<number, MemoryEvent>;
  /** Event ids by provider and dedupe key. */
  readonly keys: Map<string, number>;
}

const keyOf = ({ provider, dedupeKey }: Pick<NewEvent, "provider" | "dedupeKey">): string => `${provider} ${dedupeKey}`;

const waiting: ReadonlySet<JobState> = new Set(["ready", "scheduled", "blocked"]);

/** Where an event stands, from its disposition and its current jobs (those that no replay has replaced). */
const eventStateOf = (
  disposition: NewEvent["disposition"],
  jobs: readonly Pick<MemoryJob, "state" | "attempt" | "losses">[],
): EventState => {
  if (disposition !== "accepted") return disposition;
  if (jobs.some(({ state }) => state === "running")) return "processing";
  if (jobs.some(({ state }) => state === "dead")) return "dead";
  const open = jobs.filter(({ state }) => waiting.has(state));
  if (open.some(({ attempt, losses }) => attempt > 0 || losses > 0)) return "retrying";
  return open.length > 0 ? "received" : "processed";
};

export const memoryEvents = (tables: EventTables, jobTables: JobTables, journal: Journal): EventStore => {
  const { events, keys } = tables;
  const { jobs, nextId } = jobTables;
  const currentJobs = (eventId: number): MemoryJob[] =>
    [...jobs.values()].filter((job) => job.eventId === eventId && job.replacedBy === undefined);

  const stored = (event: MemoryEvent): StoredEvent => {
    const { bodySha256: _digest, ...rest } = event;
    return { ...rest, state: eventStateOf(event.disposition, currentJobs(event.id)) };
  };

  const acceptOne = ({ jobs: wanted, ...event }: NewEvent): AcceptOutcome => {
    const known = keys.get(keyOf(event));
    const before = known === undefined ? undefined : events.get(known);
    if (before !== undefined) {
      journal.set(events, before.id, { ...before, repeats: before.repeats + 1 });
      return { outcome: "duplicate", id: before.id, sameBody: before.bodySha256 === event.bodySha256 };
    }
    const id = nextId();
    journal.set(events, id, { ...event, id, repeats: 0 });
    journal.set(keys, keyOf(event), id);
    for (const job of wanted) {
      const jobId = nextId();
      journal.set(jobs, jobId, newMemoryJob(jobId, job, { eventId: id, now: event.receivedAt }));
    }
    return { outcome: "accepted", id };
  };

  return {
    accept: async (batch) => batch.map(acceptOne),
    find: async (id) => {
      const event = events.get(id);
      return event === undefined ? undefined : stored(event);
    },
    load: async (ids) => ids.flatMap((id) => events.get(id) ?? []).map(stored),
    list: async ({ provider, type, state, before, limit }) =>
      [...events.values()]
        .filter(
          (event) =>
            (provider === undefined || event.provider === provider) &&
            (type === undefined || event.type === type) &&
            (before === undefined || event.id < before),
        )
        .toSorted((left, right) => right.id - left.id)
        .map(stored)
        .filter((event) => state === undefined || event.state === state)
        .slice(0, limit)
        .map(({ dedupeKey, disposition, headers, body, ...summary }) => summary),
    replay: async (id, { includeDone, extraJobs, now }) => {
      const event = events.get(id);
      if (event === undefined) return 0;
      const again = currentJobs(id).filter(({ state }) => state === "dead" || (includeDone && state === "done"));
      for (const job of again) {
        const { kind, queue, priority, maxAttempts, payload } = job;
        const jobId = nextId();
        const next = { kind, queue, priority, maxAttempts, payload };
        journal.set(jobs, jobId, newMemoryJob(jobId, next, { eventId: id, replayOf: job.id, now }));
        journal.set(jobs, job.id, { ...job, replacedBy: jobId });
      }
      // Only an event that had no jobs takes new ones, so that of two replays at once one adds them.
      const added = event.disposition === "accepted" ? [] : extraJobs;
      for (const job of added) {
        const jobId = nextId();
        journal.set(jobs, jobId, newMemoryJob(jobId, job, { eventId: id, now }));
      }
      if (added.length > 0) journal.set(events, id, { ...event, disposition: "accepted", reason: undefined });
      return again.length + added.length;
    },
  };
};
