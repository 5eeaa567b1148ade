import { endedStates, eventStateOf, givenUpStates } from "../job-rules/job-life-cycle.ts";
import type {
  AcceptOutcome,
  EventDisposition,
  EventFilter,
  EventStore,
  EventToReplay,
  NewEvent,
  OtherKey,
  PastEvent,
  ReplayOptions,
  SentAgain,
  StoredEvent,
} from "../ports/event-store.ts";
import type { NewJob } from "../ports/job.ts";
import { isPattern, patternTest } from "../text-pattern.ts";
import {
  endMemoryJob,
  insertMemoryJob,
  type JobTables,
  type MemoryJob,
  newIdIn,
  replaceMemoryJob,
} from "./job-tables.ts";
import type { Journal } from "./journal.ts";
import { addToFeed } from "./memory-feed.ts";
import { memoryHandOut } from "./memory-hand-out.ts";

export interface MemoryEvent extends Omit<NewEvent, "jobs" | "repeats" | "body" | "otherKeys" | "disposition"> {
  readonly id: number;
  readonly repeats: number;
  readonly disposition: EventDisposition;
  readonly overruled?: string | undefined;
  /** Deleted by retention. */
  readonly body: Uint8Array | undefined;
}

export interface EventTables {
  readonly events: Map<number, MemoryEvent>;
  /** Event ids by provider and dedupe key. */
  readonly keys: Map<string, number>;
}

/** Whether the bytes contain those of `part`, one after the other. */
const contains = (bytes: Uint8Array, part: Uint8Array): boolean => {
  const [first = 0] = part;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (part.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
};

const keyOf = ({ provider, dedupeKey }: Pick<NewEvent, "provider" | "dedupeKey">): string => `${provider} ${dedupeKey}`;

/** Whether the type of an event is the wanted one, or fits the wanted pattern. */
const typeTest = (wanted: string | undefined): ((type: string | undefined) => boolean) => {
  if (wanted === undefined || wanted === "*") return () => true;
  if (!isPattern(wanted)) return (type) => type === wanted;
  const fits = patternTest(wanted);
  return (type) => type !== undefined && fits(type);
};

/** What is stored of an event that was sent again, and nothing else that came with it. */
const sentParts = ({ body, bodySha256, headers, query, leftOut, covered }: SentAgain): SentAgain => ({
  body,
  bodySha256,
  headers,
  query,
  leftOut,
  covered,
});

export const memoryEvents = (tables: EventTables, jobTables: JobTables, journal: Journal): EventStore => {
  const { events, keys } = tables;
  const { jobs, failures } = jobTables;
  const { fresh } = memoryHandOut(jobTables, journal);
  const currentJobs = (eventId: number): MemoryJob[] =>
    [...jobs.values()].filter((job) => job.eventId === eventId && job.replacedBy === undefined);

  const stored = (event: MemoryEvent): StoredEvent => {
    const { bodySha256: _digest, ...rest } = event;
    const tallies = currentJobs(event.id).map(({ state, attempt, losses }) => ({
      state,
      tried: attempt > 0 || losses > 0,
    }));
    const state = eventStateOf(event.disposition, tallies);
    return { ...rest, state, bodyKept: event.body !== undefined };
  };

  /** The events that fit a filter, in the order of `among`: `atMost` of them. */
  const narrowed = (
    { provider, eventId, ids, type, state, since, until, cause }: EventFilter,
    among: Iterable<MemoryEvent>,
    atMost: number,
  ): readonly StoredEvent[] => {
    const found: StoredEvent[] = [];
    const fitsType = typeTest(type);
    for (const event of among) {
      if (found.length >= atMost) break;
      const isWanted =
        (provider === undefined || event.provider === provider) &&
        (eventId === undefined || event.eventId === eventId) &&
        (ids === undefined || ids.includes(event.id)) &&
        fitsType(event.type) &&
        (since === undefined || event.receivedAt >= since) &&
        (until === undefined || event.receivedAt < until) &&
        (cause === undefined || currentJobs(event.id).some(({ id }) => failures.get(id)?.at(-1)?.cause === cause));
      if (!isWanted) continue;
      const one = stored(event);
      if (state === undefined || one.state === state) found.push(one);
    }
    return found;
  };

  const acceptOne = (
    { jobs: wanted, repeats = 0, otherKeys = [], ...event }: NewEvent,
    storedJobs: [id: number, job: NewJob][] = [],
  ): AcceptOutcome => {
    const before = [{ dedupeKey: event.dedupeKey }, ...otherKeys]
      .map(({ dedupeKey, since = 0 }: OtherKey) => {
        const known = events.get(keys.get(keyOf({ provider: event.provider, dedupeKey })) ?? -1);
        return known !== undefined && known.receivedAt >= since ? known : undefined;
      })
      .find((known) => known !== undefined);
    if (before !== undefined) {
      journal.set(events, before.id, { ...before, repeats: before.repeats + repeats + 1 });
      return { outcome: "duplicate", id: before.id, sameBody: before.bodySha256 === event.bodySha256 };
    }
    const id = newIdIn(jobTables, events);
    journal.set(events, id, { ...event, id, repeats });
    journal.set(keys, keyOf(event), id);
    for (const job of wanted) {
      storedJobs.push([insertMemoryJob(jobTables, journal, job, { eventId: id, now: event.receivedAt }), job]);
    }
    return { outcome: "accepted", id };
  };

  const restoreOne = ({ jobs: past, repeats = 0, bodyKept, ...event }: PastEvent): number | undefined => {
    if (keys.has(keyOf(event))) return undefined;
    const id = newIdIn(jobTables, events);
    journal.set(events, id, { ...event, id, repeats, body: bodyKept ? event.body : undefined });
    journal.set(keys, keyOf(event), id);
    for (const { ended, createdAt, orderKey, attempt, lastError, ...job } of past) {
      const ordered = ended === undefined && orderKey !== undefined ? { ...job, orderKey } : job;
      const jobId = insertMemoryJob(jobTables, journal, ordered, { eventId: id, now: createdAt });
      const stored = jobs.get(jobId);
      if (stored === undefined) continue;
      const end = ended && { state: ended.state, orderKey, dueAt: undefined, finishedAt: ended.at };
      journal.set(jobs, jobId, { ...stored, attempt, lastError, ...end });
    }
    return id;
  };

  const replayOne = (
    { id, extraJobs, dueAt, overruled, type, sent }: EventToReplay,
    { includeDone, now }: ReplayOptions,
  ): number => {
    const event = events.get(id);
    if (event === undefined || (event.body === undefined && sent === undefined)) return 0;
    if (sent !== undefined && event.disposition !== "quarantined" && event.disposition !== "ignored") return 0;
    const due = dueAt === undefined ? {} : { dueAt };
    const current = currentJobs(id);
    const again = current.filter(({ state }) => givenUpStates.includes(state) || (includeDone && state === "done"));
    const replaced = again.filter(
      (job) => replaceMemoryJob(jobTables, journal, job, { now, dueAt }) !== undefined,
    ).length;
    // If two replays race, the second finds the jobs of the first.
    const added = extraJobs.filter(({ kind }) => !current.some((job) => job.kind === kind));
    for (const job of added) insertMemoryJob(jobTables, journal, { ...job, ...due }, { eventId: id, now });
    const isTakenBack = event.disposition === "discarded" && replaced > 0;
    if (added.length > 0 || isTakenBack)
      journal.set(events, id, {
        ...event,
        ...(event.body === undefined && sent !== undefined ? sentParts(sent) : undefined),
        disposition: "accepted",
        reason: undefined,
        overruled: overruled ?? event.overruled,
        type: event.type ?? type,
      });
    return replaced + added.length;
  };

  const discardOne = (id: number, reason: string, now: number): boolean => {
    const event = events.get(id);
    const current = currentJobs(id);
    const isGivenUp =
      event?.disposition === "accepted"
        ? current.some(({ state }) => givenUpStates.includes(state)) &&
          current.every(({ state }) => endedStates.includes(state))
        : event?.disposition === "ignored" || event?.disposition === "quarantined";
    if (event === undefined || !isGivenUp) return false;
    for (const job of current)
      if (job.state === "dead") endMemoryJob(jobTables, journal, job, { end: { to: "cancelled" }, now });
    journal.set(events, id, { ...event, disposition: "discarded", reason });
    return true;
  };

  const acceptBatch = (batch: readonly NewEvent[], storedJobs?: [id: number, job: NewJob][]): AcceptOutcome[] => {
    const outcomes = batch.map((event) => acceptOne(event, storedJobs));
    const entries = outcomes.flatMap(({ outcome, id }) =>
      outcome === "accepted" ? [{ kind: "event" as const, part: id }] : [],
    );
    if (entries.length > 0) addToFeed(jobTables.feed, journal, batch[0]?.receivedAt ?? 0, entries);
    return outcomes;
  };

  return {
    concurrentAccepts: 1,
    gatherAcceptsMs: 0,
    accept: async (batch) => acceptBatch(batch),
    acceptFor: async (offer, batch) => {
      const handOut = fresh(offer, batch[0]?.receivedAt ?? 0);
      const storedJobs: [number, NewJob][] = [];
      const outcomes = acceptBatch(batch, storedJobs);
      return { outcomes, claimed: handOut(storedJobs) };
    },
    restore: async (past) => past.map(restoreOne),
    find: async (id) => {
      const event = events.get(id);
      return event === undefined ? undefined : stored(event);
    },
    load: async (ids) => ids.flatMap((id) => events.get(id) ?? []).map(stored),
    holders: async (wanted) => wanted.flatMap((key) => keys.get(keyOf(key)) ?? []),
    list: async ({ before, after, limit, ...filter }) => {
      const inOrder = [...events.values()]
        .filter(({ id }) => (before === undefined || id < before) && (after === undefined || id > after))
        .toSorted((left, right) => (after === undefined ? right.id - left.id : left.id - right.id));
      return narrowed(filter, inOrder, limit).map(
        ({ dedupeKey, disposition, headers, query, leftOut, covered, overruled, body, ...summary }) => summary,
      );
    },
    searchBodies: async (ids, { part, mostBytes }) => {
      const holding: number[] = [];
      let looked = 0;
      let bytes = 0;
      for (const id of ids) {
        const body = events.get(id)?.body ?? new Uint8Array();
        bytes += body.length;
        if (looked > 0 && bytes > mostBytes) break;
        looked += 1;
        if (contains(body, part)) holding.push(id);
      }
      return { looked, holding };
    },
    count: async ({ after = 0, ...filter }, atMost) =>
      narrowed(
        filter,
        [...events.values()].filter(({ id }) => id > after),
        atMost,
      ).length,
    replay: async (wanted, options) => wanted.map((event) => replayOne(event, options)),
    discard: async (ids, { reason, now }) => ids.map((id) => discardOne(id, reason, now)),
  };
};
