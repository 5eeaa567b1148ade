import type { EventQuery, EventStore, StoredEvent } from "@postern/core/parts";
import { checkLimit, chunksOf, type Database, type Session } from "../database.ts";
import { countRows, findRows } from "../query-builder.ts";
import { acceptBatch } from "./accept-events.ts";
import { areMany, nearbyPage } from "./backlog.ts";
import { discardEvent } from "./discard-event.ts";
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
import { jobsOfState } from "./event-state.ts";
import { pageFromJobs, pageOfCause } from "./events-of-jobs.ts";
import { replayEvent } from "./replay-event.ts";
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
  const { cause } = page;
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
  find: async (id) => (await load(database, [id]))[0],
  load: (ids) => load(database, ids),
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
