import { type EventQuery, type EventStore, jobStates, type SentAgain, type StoredEvent } from "@postern/core/ports";
import { checkLimit, chunksOf, type Database, idsOf, type Session } from "../engine/database.ts";
import { countRows, findRows } from "../engine/query-builder.ts";
import { acceptBatch, holdersOfAll, outsideText } from "./accept-events.ts";
import { areMany, nearbyPage } from "./backlog.ts";
import { narrowedEvents, pageOfEvents } from "./event-lists.ts";
import {
  type StoredRow,
  type SummaryRow,
  storedColumns,
  summaryColumns,
  toStored,
  toSummary,
  withStates,
} from "./event-rows.ts";
import { dispositions, jobsOfState } from "./event-state.ts";
import { pageFromJobs, pageOfCause } from "./events-of-jobs.ts";
import { type EndingJob, endingColumns } from "./job-ends.ts";
import { insertJobs, type ReplacedRow, replacedColumns, replaceJobs } from "./job-rows.ts";
import { ended, givenUp, letGo } from "./knex-job-records.ts";
import { restoreEvents } from "./restore-events.ts";
import { searchBodies } from "./search-bodies.ts";

/** This does not use the builder, because each job of a handler loads its event. */
const load = (database: Database, ids: readonly number[]): Promise<StoredEvent[]> =>
  database.read(async (session) => {
    const loaded: StoredEvent[] = [];
    for (const chunk of chunksOf(ids, 1000)) {
      const where = database.dialect.anyOf("id", chunk);
      const sql = `SELECT ${storedColumns.join(", ")} FROM inbox_event WHERE ${where.sql}`;
      const rows = await session.rows<StoredRow>(sql, where.values);
      loaded.push(...(await withStates(database, session, rows, toStored)));
    }
    return loaded;
  });

/**
 * Finds a page of events in a state with many jobs. `undefined` if the state has few, and on SQLite
 * also if the page is not near.
 */
const findAmongMany = async (
  database: Database,
  session: Session,
  page: EventQuery,
): Promise<SummaryRow[] | undefined> => {
  const jobs = page.state === undefined ? [] : jobsOfState(page.state);
  if (jobs.length === 0 || !(await areMany(database, session, jobs))) return undefined;
  const query = narrowedEvents(database, page, "events").select(summaryColumns);
  const near = await nearbyPage<SummaryRow>(database, session, { table: "inbox_event", query, page });
  return near ?? (!database.dialect.hasPartialIndexes ? pageFromJobs(database, session, jobs, page) : undefined);
};

/** A page of a list of events. */
const findPage = async (database: Database, session: Session, page: EventQuery): Promise<SummaryRow[]> => {
  const { cause, ids } = page;
  if (ids !== undefined) return findRows<SummaryRow>(session, pageOfEvents(database, page).select(summaryColumns));
  if (cause !== undefined) return pageOfCause(database, session, { ...page, cause });
  const listed = pageOfEvents(database, page).select(summaryColumns);
  return (await findAmongMany(database, session, page)) ?? findRows<SummaryRow>(session, listed);
};

/** The inbox: events and their dedupe keys, in `inbox_event`. */
export const knexEventStore = (database: Database): EventStore => ({
  concurrentAccepts: database.dialect.concurrentAccepts,
  gatherAcceptsMs: database.dialect.gatherAcceptsMs,
  accept: async (events) => (events.length === 0 ? [] : (await acceptBatch(database, events, undefined)).outcomes),
  acceptFor: async (offer, events) =>
    events.length === 0 ? { outcomes: [], claimed: [] } : acceptBatch(database, events, offer),
  restore: async (events) => (events.length === 0 ? [] : restoreEvents(database, events)),
  find: async (id) => (await load(database, [id]))[0],
  load: (ids) => load(database, ids),
  holders: async (wanted) => {
    if (wanted.length === 0) return [];
    await database.dialect.eventKeys?.catchUp();
    const keys = wanted.map(({ provider, dedupeKey }) => [provider, dedupeKey] as const);
    return idsOf(await database.read((session) => holdersOfAll(database.dialect, session, keys)));
  },
  list: async (query) => {
    checkLimit(query.limit);
    return database.read(async (session: Session) => {
      const rows = await findPage(database, session, query);
      return withStates(database, session, rows, toSummary);
    });
  },
  searchBodies: (ids, search) => searchBodies(database, ids, search),
  count: ({ after, ...filter }, atMost) => {
    const found = narrowedEvents(database, filter);
    if (after !== undefined) found.where("id", ">", after);
    return database.read((session) => countRows(session, [found], atMost));
  },
  replay: (wanted, options) =>
    database.write(async (session) => {
      const made: number[] = [];
      for (const event of wanted) made.push(await replayEvent(database, session, event, options));
      return made;
    }),
  discard: (ids, options) =>
    database.write(async (session) => {
      const discarded: boolean[] = [];
      for (const id of ids) discarded.push(await discardEvent(database, session, id, options));
      return discarded;
    }),
});

type Replay = Parameters<EventStore["replay"]>;

/** Stores an event's body again, with what came beside it. */
const storeSent = (session: Session, id: number, sent: SentAgain): Promise<unknown> =>
  session.run(
    "UPDATE inbox_event SET body = ?, body_sha256 = ?, headers = ?, outside = ?, body_dropped = 0 WHERE id = ?",
    [sent.body, sent.bodySha256, JSON.stringify(sent.headers), outsideText(sent), id],
  );

/** Makes new jobs for an event, in the session's transaction. Returns how many. */
const replayEvent = async (
  database: Database,
  session: Session,
  { id, extraJobs, dueAt, overruled, type, sent }: Replay[0][number],
  { includeDone, now }: Replay[1],
): Promise<number> => {
  // The event's row is the lock between two replays: the second sees the first one's jobs.
  const [event] = await session.rows<{ body_dropped: number; disposition: number }>(
    `SELECT body_dropped, disposition FROM inbox_event WHERE id = ?${database.dialect.forUpdate}`,
    [id],
  );
  if (event === undefined || (event.body_dropped !== 0 && sent === undefined)) return 0;
  // Somebody may have decided about it after the resend was looked at.
  const isLeft = event.disposition === dispositions.quarantined || event.disposition === dispositions.ignored;
  if (sent !== undefined && !isLeft) return 0;
  const current = await session.rows<ReplacedRow & { state: number }>(
    `SELECT ${replacedColumns}, state FROM job WHERE event_ref = ? AND replaced_by IS NULL ORDER BY id`,
    [id],
  );
  const again = current.filter(({ state }) => givenUp.has(state) || (includeDone && state === jobStates.done));
  // If two replays run at once, the second finds the jobs of the first.
  const added = extraJobs.filter(({ kind }) => !current.some((job) => job.kind === kind));
  await replaceJobs(database, session, again, { now, dueAt });
  if (added.length > 0) {
    const firstId = await database.ids.takeWithin(session, "job", added.length);
    const due = dueAt === undefined ? {} : { dueAt };
    const jobs = added.map((job, index) => ({ ...job, id: firstId + index, eventId: id, createdAt: now, ...due }));
    await insertJobs(database, session, jobs);
  }
  const isTakenBack = event.disposition === dispositions.discarded && again.length > 0;
  if (added.length > 0 || isTakenBack) {
    await session.run("UPDATE inbox_event SET disposition = 0, reason = NULL WHERE id = ?", [id]);
    if (sent !== undefined && event.body_dropped !== 0) await storeSent(session, id, sent);
    if (overruled !== undefined)
      await session.run("UPDATE inbox_event SET overruled = ? WHERE id = ?", [overruled, id]);
    if (type !== undefined)
      await session.run("UPDATE inbox_event SET type = ? WHERE id = ? AND type IS NULL", [type, id]);
  }
  return again.length + added.length;
};

/** `EventStore.discard` of one event, in the session's transaction. */
const discardEvent = async (
  database: Database,
  session: Session,
  id: number,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<boolean> => {
  // The event's row is the lock between this and a replay or a retry.
  const [event] = await session.rows<{ disposition: number }>(
    `SELECT disposition FROM inbox_event WHERE id = ?${database.dialect.forUpdate}`,
    [id],
  );
  if (event === undefined || event.disposition === dispositions.discarded) return false;
  const current = await session.rows<Omit<EndingJob, "end"> & { state: number }>(
    `SELECT ${endingColumns}, state FROM job WHERE event_ref = ? AND replaced_by IS NULL ORDER BY id`,
    [id],
  );
  if (event.disposition === dispositions.accepted) {
    const isGivenUp = current.some(({ state }) => givenUp.has(state)) && current.every(({ state }) => ended.has(state));
    if (!isGivenUp) return false;
  }
  for (const job of current) {
    if (job.state !== jobStates.dead || (await letGo(database, session, job, now))) continue;
    await session.run("UPDATE job SET state = ?, finished_at = ? WHERE id = ? AND state = ?", [
      jobStates.cancelled,
      now,
      job.id,
      jobStates.dead,
    ]);
  }
  await session.run("UPDATE inbox_event SET disposition = ?, reason = ? WHERE id = ?", [
    dispositions.discarded,
    reason,
    id,
  ]);
  return true;
};
