import {
  type AcceptOutcome,
  type EventState,
  type EventStore,
  type EventSummary,
  jobStates,
  type NewEvent,
  type StoredEvent,
} from "@postern/core";
import { checkLimit, chunksOf, type Database, type Session, type Value } from "../database.ts";
import type { AcceptedRow } from "../dialect.ts";
import { dispositionName, dispositions, stateCondition, statesOf } from "./event-state.ts";
import { insertJobs, type JobToInsert } from "./job-rows.ts";

interface SummaryRow {
  readonly id: number;
  readonly provider: string;
  readonly event_id: string | null;
  readonly type: string | null;
  readonly reason: string | null;
  readonly occurred_at: number | null;
  readonly received_at: number;
  readonly repeats: number;
  readonly disposition: number;
}

interface StoredRow extends SummaryRow {
  /** Bytes on MySQL, where no collation may touch it. */
  readonly dedupe_key: string | Uint8Array;
  readonly headers: string;
  readonly body: Uint8Array;
}

const summaryColumns = "id, provider, event_id, type, reason, occurred_at, received_at, repeats, disposition";
const storedColumns = `${summaryColumns}, dedupe_key, headers, body`;

const insertColumns = [
  "id",
  "provider",
  "dedupe_key",
  "event_id",
  "type",
  "body",
  "headers",
  "body_sha256",
  "occurred_at",
  "received_at",
  "disposition",
  "reason",
  "repeats",
];

const insertRow = (id: number, event: NewEvent, repeats: number): readonly Value[] => [
  id,
  event.provider,
  event.dedupeKey,
  event.eventId ?? null,
  event.type ?? null,
  event.body,
  JSON.stringify(event.headers),
  event.bodySha256,
  event.occurredAt ?? null,
  event.receivedAt,
  dispositions[event.disposition],
  event.reason ?? null,
  repeats,
];

const keyOf = (provider: string, dedupeKey: string): string => `${provider} ${dedupeKey}`;

const toSummary = (row: SummaryRow, state: EventState): EventSummary => ({
  id: row.id,
  provider: row.provider,
  eventId: row.event_id ?? undefined,
  type: row.type ?? undefined,
  state,
  reason: row.reason ?? undefined,
  occurredAt: row.occurred_at ?? undefined,
  receivedAt: row.received_at,
  repeats: row.repeats,
});

const toStored = (row: StoredRow, state: EventState): StoredEvent => ({
  ...toSummary(row, state),
  dedupeKey: typeof row.dedupe_key === "string" ? row.dedupe_key : Buffer.from(row.dedupe_key).toString(),
  disposition: dispositionName(row.disposition),
  headers: JSON.parse(row.headers),
  body: row.body,
});

/** An event of a batch and the later ones with its key. */
interface Candidate {
  readonly id: number;
  readonly index: number;
  readonly event: NewEvent;
  repeats: number;
}

export const knexEventStore = (database: Database): EventStore => {
  const { dialect } = database;

  /** Adds the state that follows from the jobs. */
  const withStates = async <Row extends SummaryRow, Result>(
    session: Session,
    rows: readonly Row[],
    make: (row: Row, state: EventState) => Result,
  ): Promise<Result[]> => {
    const accepted = rows.filter(({ disposition }) => disposition === dispositions.accepted);
    const states = await statesOf(
      database,
      session,
      accepted.map(({ id }) => id),
    );
    return rows.map((row) => {
      const disposition = dispositionName(row.disposition);
      return make(row, disposition === "accepted" ? (states.get(row.id) ?? "processed") : disposition);
    });
  };

  const load = (ids: readonly number[]): Promise<StoredEvent[]> =>
    database.read(async (session) => {
      const loaded: StoredEvent[] = [];
      for (const chunk of chunksOf(ids, 1000)) {
        const where = dialect.anyOf("id", chunk);
        const rows = await session.rows<StoredRow>(
          `SELECT ${storedColumns} FROM inbox_event WHERE ${where.sql}`,
          where.values,
        );
        loaded.push(...(await withStates(session, rows, toStored)));
      }
      return loaded;
    });

  return {
    accept: async (events) => {
      if (events.length === 0) return [];
      const candidates = new Map<string, Candidate>();
      const distinct = new Set(events.map(({ provider, dedupeKey }) => keyOf(provider, dedupeKey))).size;
      const firstId = await database.ids.take("event", distinct);
      for (const [index, event] of events.entries()) {
        const key = keyOf(event.provider, event.dedupeKey);
        const known = candidates.get(key);
        if (known === undefined) candidates.set(key, { id: firstId + candidates.size, index, event, repeats: 0 });
        else known.repeats += 1;
      }
      const wanted = [...candidates.values()];
      const jobCount = wanted.reduce((sum, { event }) => sum + event.jobs.length, 0);
      const firstJobId = jobCount === 0 ? 0 : await database.ids.take("job", jobCount);

      const holders = await database.write(async (session) => {
        const rows = await dialect.insertEvents(
          session,
          insertColumns,
          wanted.map(({ id, event, repeats }) => insertRow(id, event, repeats)),
        );
        const found = new Map(rows.map((row) => [keyOf(row.provider, row.dedupe_key), row]));
        const stored = wanted.filter(({ id, event }) => {
          const holder = found.get(keyOf(event.provider, event.dedupeKey));
          return holder === undefined || holder.id === id;
        });
        const jobs = stored.flatMap(({ id, event }) =>
          event.jobs.map((job) => ({ ...job, eventId: id, createdAt: event.receivedAt })),
        );
        await insertJobs(
          database,
          session,
          jobs.map((job, index): JobToInsert => ({ ...job, id: firstJobId + index })),
        );
        return found;
      });
      return outcomesOf(events, candidates, holders);
    },
    find: async (id) => (await load([id]))[0],
    load,
    list: async ({ provider, type, state, before, limit }) => {
      checkLimit(limit);
      const conditions: [string, Value][] = [];
      if (provider !== undefined) conditions.push(["provider = ?", provider]);
      if (type !== undefined) conditions.push(["type = ?", type]);
      if (before !== undefined) conditions.push(["id < ?", before]);
      const where = [
        "1 = 1",
        ...conditions.map(([sql]) => sql),
        ...(state === undefined ? [] : [stateCondition(dialect, state)]),
      ];
      return database.read(async (session) => {
        const rows = await session.rows<SummaryRow>(
          `SELECT ${summaryColumns} FROM inbox_event WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT ?`,
          [...conditions.map(([, value]) => value), limit],
        );
        return withStates(session, rows, toSummary);
      });
    },
    replay: (id, { includeDone, extraJobs, now }) =>
      database.write(async (session) => {
        // The event's row is the lock between two replays: the second sees the first one's jobs.
        const [event] = await session.rows<{ disposition: number }>(
          `SELECT disposition FROM inbox_event WHERE id = ?${dialect.forUpdate}`,
          [id],
        );
        if (event === undefined) return 0;
        const states = includeDone ? `${jobStates.dead}, ${jobStates.done}` : String(jobStates.dead);
        const again = await session.rows<{
          id: number;
          queue: string;
          kind: string;
          payload: string | null;
          priority: number;
          max_attempts: number;
        }>(
          `SELECT id, queue, kind, payload, priority, max_attempts FROM job
            WHERE event_ref = ? AND replaced_by IS NULL AND state IN (${states}) ORDER BY id`,
          [id],
        );
        // Only an event that had no jobs takes new ones, so that of two replays at once one adds them.
        const added = event.disposition === dispositions.accepted ? [] : extraJobs;
        const count = again.length + added.length;
        if (count === 0) return 0;
        const firstId = await database.ids.takeWithin(session, "job", count);
        const jobs: JobToInsert[] = [
          ...again.map((old) => ({
            id: 0,
            queue: old.queue,
            kind: old.kind,
            payloadText: old.payload,
            priority: old.priority,
            maxAttempts: old.max_attempts,
            replayOf: old.id,
            eventId: id,
            createdAt: now,
          })),
          ...added.map((job) => ({ ...job, id: 0, eventId: id, createdAt: now })),
        ].map((job, index) => ({ ...job, id: firstId + index }));
        await insertJobs(database, session, jobs);
        for (const [index, old] of again.entries()) {
          await session.run("UPDATE job SET replaced_by = ? WHERE id = ?", [firstId + index, old.id]);
        }
        if (added.length > 0) {
          await session.run("UPDATE inbox_event SET disposition = 0, reason = NULL WHERE id = ?", [id]);
        }
        return count;
      }),
  };
};

/** One answer per event, in order. */
const outcomesOf = (
  events: readonly NewEvent[],
  candidates: ReadonlyMap<string, Candidate>,
  holders: ReadonlyMap<string, AcceptedRow>,
): readonly AcceptOutcome[] =>
  events.map((event, index) => {
    const key = keyOf(event.provider, event.dedupeKey);
    const candidate = candidates.get(key);
    if (candidate === undefined) throw new TypeError("an event of the batch is missing");
    const holder = holders.get(key);
    const isNew = holder === undefined || holder.id === candidate.id;
    if (isNew && candidate.index === index) return { outcome: "accepted", id: candidate.id };
    const firstBody = isNew ? candidate.event.bodySha256 : holder.body_sha256;
    return { outcome: "duplicate", id: isNew ? candidate.id : holder.id, sameBody: firstBody === event.bodySha256 };
  });
