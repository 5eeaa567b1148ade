import {
  type AcceptOutcome,
  type EventState,
  type EventStore,
  type EventSummary,
  type EventToReplay,
  jobStates,
  type NewEvent,
  type ReplayOptions,
  type SlotOffer,
  type StoredEvent,
} from "@postern/core";
import { checkLimit, chunksOf, type Database, type Session, type Value } from "../database.ts";
import type { AcceptedRow, EventRow } from "../dialect.ts";
import { CommitUnknown } from "../translate-error.ts";
import { dispositionName, dispositions, stateCondition, statesOf } from "./event-state.ts";
import { insertJobsFor, type Offer } from "./fresh-jobs.ts";
import { insertJobs, type JobToInsert, type ReplacedRow, replacedColumns, replaceJobs } from "./job-rows.ts";

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
  readonly body_dropped: number;
}

interface StoredRow extends SummaryRow {
  /** Bytes on MySQL, where no collation may touch it. */
  readonly dedupe_key: string | Uint8Array;
  readonly headers: string;
  readonly body: Uint8Array;
}

const summaryColumns =
  "id, provider, event_id, type, reason, occurred_at, received_at, repeats, disposition, body_dropped";
const storedColumns = `${summaryColumns}, dedupe_key, headers, body`;

const insertColumns = [
  "id",
  "provider",
  "dedupe_key",
  "event_id",
  "type",
  "headers",
  "body_sha256",
  "occurred_at",
  "received_at",
  "disposition",
  "reason",
  "repeats",
];

const insertRow = ({ id, event, repeats }: Candidate): EventRow => ({
  id,
  key: [event.provider, event.dedupeKey],
  repeats,
  body: event.body,
  values: [
    id,
    event.provider,
    event.dedupeKey,
    event.eventId ?? null,
    event.type ?? null,
    JSON.stringify(event.headers),
    event.bodySha256,
    event.occurredAt ?? null,
    event.receivedAt,
    dispositions[event.disposition],
    event.reason ?? null,
    repeats,
  ],
});

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
  bodyKept: row.body_dropped === 0,
});

const toStored = (row: StoredRow, state: EventState): StoredEvent => ({
  ...toSummary(row, state),
  dedupeKey: typeof row.dedupe_key === "string" ? row.dedupe_key : Buffer.from(row.dedupe_key).toString(),
  disposition: dispositionName(row.disposition),
  headers: JSON.parse(row.headers),
  body: row.body_dropped === 0 ? row.body : undefined,
});

const givenUp: ReadonlySet<number> = new Set([jobStates.dead, jobStates.cancelled]);

/** How often a batch is written whose commit was lost and did not land. */
const acceptTries = 2;

/** Rows that hold keys, by key. */
type Holders = ReadonlyMap<string, AcceptedRow>;

/** An event of a batch and the later ones with its key. */
interface Candidate {
  readonly id: number;
  readonly key: string;
  /** Its place in the batch. */
  readonly index: number;
  readonly event: NewEvent;
  repeats: number;
}

/** Each event of a batch once, numbered from `firstId`; for every event the one that stands for it. */
const candidatesOf = (events: readonly NewEvent[], keys: readonly string[], firstId: number) => {
  const byKey = new Map<string, Candidate>();
  const standing = events.map((event, index): Candidate => {
    const key = keys[index] ?? "";
    const { repeats = 0 } = event;
    const known = byKey.get(key);
    if (known === undefined) {
      const first = { id: firstId + byKey.size, key, index, event, repeats };
      byKey.set(key, first);
      return first;
    }
    known.repeats += 1 + repeats;
    return known;
  });
  return { standing, wanted: [...byKey.values()] };
};

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

  /** Writes the new ones with their jobs, in one transaction; who holds the keys of the others, and what the offer's runner got. */
  const insert = async (wanted: readonly Candidate[], firstJobId: number, offer: Offer | undefined) =>
    database.write(async (session) => {
      const rows = await dialect.insertEvents(session, insertColumns, wanted.map(insertRow));
      const holders: Holders = new Map(rows.map((row) => [keyOf(row.provider, row.dedupe_key), row]));
      const jobs: JobToInsert[] = [];
      for (const { id, key, event } of wanted) {
        if ((holders.get(key)?.id ?? id) !== id) continue;
        for (const job of event.jobs) {
          // Not spread and then extended: V8 takes many times as long for that.
          jobs.push(Object.assign({ id: firstJobId + jobs.length, eventId: id, createdAt: event.receivedAt }, job));
        }
      }
      if (offer !== undefined)
        return { holders, claimed: (await insertJobsFor(database, session, jobs, offer)).claimed };
      await insertJobs(database, session, jobs);
      return { holders, claimed: [] };
    });

  /** Who holds the keys after a commit whose answer was lost; `undefined` when it did not land. All of it landed, or nothing. */
  const landed = async (wanted: readonly Candidate[]): Promise<Holders | undefined> => {
    const holders = await database.read(async (session) => {
      const found: AcceptedRow[] = [];
      for (const part of chunksOf(wanted, 250)) {
        found.push(
          ...(await dialect.holdersOf(
            session,
            part.map(({ event }) => [event.provider, event.dedupeKey]),
          )),
        );
      }
      return found;
    });
    const ours = new Set(wanted.map(({ id }) => id));
    if (!holders.some(({ id }) => ours.has(id))) return undefined;
    return new Map(holders.map((row) => [keyOf(row.provider, row.dedupe_key), row]));
  };

  const acceptBatch = async (
    events: readonly NewEvent[],
    slots: SlotOffer | undefined,
    tries = acceptTries,
  ): ReturnType<EventStore["acceptFor"]> => {
    const keys = events.map(({ provider, dedupeKey }) => keyOf(provider, dedupeKey));
    const firstId = await database.ids.take("event", new Set(keys).size);
    const { standing, wanted } = candidatesOf(events, keys, firstId);
    const jobCount = wanted.reduce((sum, { event }) => sum + event.jobs.length, 0);
    const firstJobId = jobCount === 0 ? 0 : await database.ids.take("job", jobCount);
    const offer = slots === undefined ? undefined : { ...slots, lease: await database.ids.take("lease", 1) };
    try {
      const { holders, claimed } = await insert(wanted, firstJobId, offer);
      return { outcomes: outcomesOf(events, standing, holders), claimed };
    } catch (thrown) {
      if (!(thrown instanceof CommitUnknown)) throw thrown;
      const holders = await landed(wanted);
      if (holders !== undefined) return { outcomes: outcomesOf(events, standing, holders), claimed: undefined };
      // Under new numbers: should the lost commit still land behind our back, its keys are taken and ours are repeats.
      if (tries > 1) return acceptBatch(events, slots, tries - 1);
      throw thrown;
    }
  };

  const replayOne = async (
    session: Session,
    { id, extraJobs, dueAt }: EventToReplay,
    { includeDone, now }: ReplayOptions,
  ): Promise<number> => {
    // The event's row is the lock between two replays: the second sees the first one's jobs.
    const [event] = await session.rows<{ body_dropped: number }>(
      `SELECT body_dropped FROM inbox_event WHERE id = ?${dialect.forUpdate}`,
      [id],
    );
    if (event?.body_dropped !== 0) return 0;
    const current = await session.rows<ReplacedRow & { state: number }>(
      `SELECT ${replacedColumns}, state FROM job WHERE event_ref = ? AND replaced_by IS NULL ORDER BY id`,
      [id],
    );
    const again = current.filter(({ state }) => givenUp.has(state) || (includeDone && state === jobStates.done));
    // Of two replays at once the second finds the jobs of the first.
    const added = extraJobs.filter(({ kind }) => !current.some((job) => job.kind === kind));
    await replaceJobs(database, session, again, now, dueAt);
    if (added.length > 0) {
      const firstId = await database.ids.takeWithin(session, "job", added.length);
      const due = dueAt === undefined ? {} : { dueAt };
      const jobs = added.map((job, index) => ({ ...job, id: firstId + index, eventId: id, createdAt: now, ...due }));
      await insertJobs(database, session, jobs);
      await session.run("UPDATE inbox_event SET disposition = 0, reason = NULL WHERE id = ?", [id]);
    }
    return again.length + added.length;
  };

  return {
    concurrentAccepts: dialect.concurrentAccepts,
    accept: async (events) => (events.length === 0 ? [] : (await acceptBatch(events, undefined)).outcomes),
    acceptFor: async (offer, events) =>
      events.length === 0 ? { outcomes: [], claimed: [] } : acceptBatch(events, offer),
    find: async (id) => (await load([id]))[0],
    load,
    list: async ({ provider, type, state, since, until, before, after, limit }) => {
      checkLimit(limit);
      const conditions: [string, Value][] = [];
      if (provider !== undefined) conditions.push(["provider = ?", provider]);
      if (type !== undefined) conditions.push(["type = ?", type]);
      if (since !== undefined) conditions.push(["received_at >= ?", since]);
      if (until !== undefined) conditions.push(["received_at < ?", until]);
      if (before !== undefined) conditions.push(["id < ?", before]);
      if (after !== undefined) conditions.push(["id > ?", after]);
      const where = [
        "1 = 1",
        ...conditions.map(([sql]) => sql),
        ...(state === undefined ? [] : [stateCondition(dialect, state)]),
      ];
      return database.read(async (session) => {
        const rows = await session.rows<SummaryRow>(
          `SELECT ${summaryColumns} FROM inbox_event WHERE ${where.join(" AND ")} ORDER BY id ${after === undefined ? "DESC" : "ASC"} LIMIT ?`,
          [...conditions.map(([, value]) => value), limit],
        );
        return withStates(session, rows, toSummary);
      });
    },
    replay: (wanted, options) =>
      database.write(async (session) => {
        const made: number[] = [];
        for (const event of wanted) made.push(await replayOne(session, event, options));
        return made;
      }),
  };
};

/** One answer per event, in order. */
const outcomesOf = (
  events: readonly NewEvent[],
  standing: readonly Candidate[],
  holders: Holders,
): readonly AcceptOutcome[] =>
  events.map((event, index) => {
    const candidate = standing[index];
    if (candidate === undefined) throw new TypeError("an event of the batch is missing");
    const holder = holders.get(candidate.key);
    const isNew = holder === undefined || holder.id === candidate.id;
    if (isNew && candidate.index === index) return { outcome: "accepted", id: candidate.id };
    const firstBody = isNew ? candidate.event.bodySha256 : holder.body_sha256;
    return { outcome: "duplicate", id: isNew ? candidate.id : holder.id, sameBody: firstBody === event.bodySha256 };
  });
