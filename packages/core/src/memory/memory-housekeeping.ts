import { waitingStates } from "../job-rules/job-life-cycle.ts";
import type { Expiring, Housekeeping } from "../ports/housekeeping.ts";
import type { JobState } from "../ports/job.ts";
import type { JobTables, MemoryJob } from "./job-tables.ts";
import type { Journal } from "./journal.ts";
import type { EventTables, MemoryEvent } from "./memory-events.ts";
import type { ForwardTable } from "./memory-forwards.ts";
import type { NoteTable } from "./memory-notes.ts";

/** Which ended jobs are kept for how long. A job whose handler failed after its commit is kept as dead ones are. */
const expiryOf = ({ state, afterCommit }: MemoryJob): Expiring | undefined => {
  if (state === "dead" || afterCommit) return "dead_jobs";
  return state === "done" ? "done_jobs" : state === "cancelled" ? "cancelled_jobs" : undefined;
};
const toRun: ReadonlySet<JobState> = new Set([...waitingStates, "running"]);

/** The tables from which housekeeping deletes. */
export interface PrunedTables {
  readonly events: EventTables;
  readonly forwards: ForwardTable;
  readonly notes: NoteTable;
  readonly jobs: JobTables;
}

/** What a sender said outside of the body goes with the body. */
const nothingOutside = { headers: {}, query: undefined, leftOut: undefined, covered: undefined } as const;

export const memoryHousekeeping = (tables: PrunedTables, journal: Journal): Housekeeping => {
  const { forwards, notes } = tables;
  const { events, keys } = tables.events;
  const { jobs, failures, runners, slots } = tables.jobs;

  const dropJob = ({ id }: MemoryJob): void => {
    journal.delete(jobs, id);
    journal.delete(failures, id);
  };
  const dueJobs = (what: Expiring, before: number): readonly MemoryJob[] =>
    [...jobs.values()]
      .filter((job) => expiryOf(job) === what && (job.finishedAt ?? before) < before)
      .filter(({ eventId, hasTurn }) => what === "done_jobs" || (eventId === undefined && !hasTurn));
  const pruneJobs = (what: Expiring, before: number, limit: number): number => {
    const expired = dueJobs(what, before).slice(0, limit);
    for (const job of expired) dropJob(job);
    return expired.length;
  };
  const dueEvents = (before: number): readonly MemoryEvent[] => {
    const open = new Set(
      [...jobs.values()].flatMap(({ state, eventId, hasTurn }) => (toRun.has(state) || hasTurn ? [eventId] : [])),
    );
    return [...events.values()].filter(({ id, receivedAt }) => receivedAt < before && !open.has(id));
  };
  const pruneEvents = (before: number, limit: number): number => {
    const expired = dueEvents(before).slice(0, limit);
    const ids = new Set(expired.map(({ id }) => id));
    for (const { id } of expired) {
      journal.delete(events, id);
      journal.delete(forwards, id);
      journal.delete(notes, id);
    }
    for (const [key, id] of [...keys]) if (ids.has(id)) journal.delete(keys, key);
    for (const job of [...jobs.values()]) if (job.eventId !== undefined && ids.has(job.eventId)) dropJob(job);
    return expired.length;
  };
  const dueBodies = (before: number): readonly MemoryEvent[] => {
    const needed = new Set(
      [...jobs.values()].flatMap(({ state, eventId, replacedBy }) =>
        toRun.has(state) || (state === "dead" && replacedBy === undefined) ? [eventId] : [],
      ),
    );
    return [...events.values()]
      .filter(({ receivedAt, body }) => receivedAt < before && body !== undefined)
      .filter(({ id, disposition }) => disposition !== "quarantined" && !needed.has(id));
  };
  const dropBodies = (before: number, limit: number, from: number): number => {
    const expired = dueBodies(before)
      .filter(({ receivedAt }) => receivedAt >= from)
      .slice(0, limit);
    for (const event of expired) journal.set(events, event.id, { ...event, body: undefined, ...nothingOutside });
    return expired.length;
  };
  const pruneSlots = (before: number, limit: number): number => {
    const newest = new Map<string, number>();
    for (const { name, slot } of slots.values()) newest.set(name, Math.max(slot, newest.get(name) ?? slot));
    const expired = [...slots]
      .filter(([, { name, slot }]) => slot < before && slot !== newest.get(name))
      .slice(0, limit);
    for (const [key] of expired) journal.delete(slots, key);
    return expired.length;
  };
  const pruneRunners = (before: number, limit: number): number => {
    const expired = [...runners.values()].filter(({ dead, beatAt }) => dead && beatAt < before).slice(0, limit);
    for (const { id } of expired) journal.delete(runners, id);
    return expired.length;
  };

  return {
    prune: async (what, before, limit, from = 0) => {
      if (what === "events") return pruneEvents(before, limit);
      if (what === "bodies") return dropBodies(before, limit, from);
      if (what === "slots") return pruneSlots(before, limit);
      if (what === "runners") return pruneRunners(before, limit);
      return pruneJobs(what, before, limit);
    },
    due: async (what, before, atMost) => {
      const times =
        what === "events" || what === "bodies"
          ? (what === "events" ? dueEvents : dueBodies)(before).map(({ receivedAt }) => receivedAt)
          : dueJobs(what, before).map(({ finishedAt = before }) => finishedAt);
      return { rows: Math.min(times.length, atMost), oldest: times.length === 0 ? undefined : Math.min(...times) };
    },
    // Memory writes at once.
    waits: () => 0,
    // Memory deletes all rows at once.
    finishDeletions: async () => 0,
    unfinishedDeletions: async () => ({ deletions: 0, rows: 0 }),
    checkpoint: async () => undefined,
  };
};
