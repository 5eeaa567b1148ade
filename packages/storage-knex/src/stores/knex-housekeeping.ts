import type { Resource, Row } from "@postern/core";
import { type Expiring, type Housekeeping, jobStates } from "@postern/core/ports";
import type { Knex } from "knex";
import type { Resources } from "../engine/condition-to-sql.ts";
import { checkLimit, type Database, idsOf, type Session } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";
import type { OpenDatabase } from "../engine/open-database.ts";
import { deletedAtOnce, portionsOf } from "../engine/portions.ts";
import { changeRows, findRows, type QueryBuilder, readQuery } from "../engine/query-builder.ts";
import { countMarked, deleteMarked } from "./deleted-rows.ts";
import { dispositions } from "./event-state.ts";
import { knexJobQueue } from "./knex-job-queue.ts";
import { isHolding } from "./lanes.ts";
import type { RepositoryParts } from "./resource-statements.ts";

const { done, dead, cancelled, ready, scheduled, running, blocked } = jobStates;

const toRun = `(job.state IN (${ready}, ${scheduled}, ${running}, ${blocked}) OR ${isHolding})`;
/**
 * Jobs that will run or can be replayed. A dead job can be replayed if no other job has replaced
 * it.
 */
const needsBody = `(${toRun} OR (job.state = ${dead} AND job.replaced_by IS NULL))`;

/** Jobs that have ended as the condition says, oldest end first. */
const endedJobs = (query: QueryBuilder, condition: string, { from, before }: Span): Knex.QueryBuilder =>
  // Raw, and it says twice that they have ended: SQLite uses its index of ended jobs only if the
  // text says so.
  query("job")
    .whereRaw(`state >= ${done} AND ${condition}`)
    .where("finished_at", ">=", from)
    .where("finished_at", "<", before)
    .orderBy("finished_at");

/** A job whose handler failed after its commit is done, and kept as dead ones are. */
const likeDead = `(state = ${dead} OR (state = ${done} AND after_commit IS NOT NULL))`;

const aboutNoEvent = `event_ref IS NULL AND NOT ${isHolding}`;

const withoutJobs = (jobs: string): string =>
  `NOT EXISTS (SELECT 1 FROM job WHERE job.event_ref = inbox_event.id AND ${jobs})`;

/** From when to when items ended or arrived. */
interface Span {
  readonly from: number;
  readonly before: number;
}

type Pruned = Exclude<Expiring, "slots" | "audit">;

/** Where the rows of a kind are found, each by one index: events with a body first, then those without. */
type Found = Exclude<Pruned, "events"> | "events with bodies" | "events without bodies";

const placesOf = (what: Pruned): readonly Found[] =>
  what === "events" ? ["events with bodies", "events without bodies"] : [what];

/** When a row of this kind ended or arrived. */
const timeOf = (found: Found): string => {
  if (found === "runners") return "beat_at";
  return found === "bodies" || found.startsWith("events") ? "received_at" : "finished_at";
};

/**
 * The rows to delete, oldest first. They are found first, without locks, and then deleted by their keys
 * in order.
 */
const expired = (query: QueryBuilder, found: Found, span: Span): Knex.QueryBuilder => {
  const events = (dropped: number): Knex.QueryBuilder =>
    query("inbox_event")
      .where("body_dropped", dropped)
      .where("received_at", ">=", span.from)
      .where("received_at", "<", span.before)
      .orderBy("received_at");
  switch (found) {
    case "done_jobs":
      return endedJobs(query, `state = ${done} AND after_commit IS NULL`, span);
    case "cancelled_jobs":
      return endedJobs(query, `state = ${cancelled}`, span).whereRaw(aboutNoEvent);
    case "dead_jobs":
      return endedJobs(query, likeDead, span).whereRaw(aboutNoEvent);
    case "events with bodies":
      return events(0).whereRaw(withoutJobs(toRun));
    case "events without bodies":
      return events(1).whereRaw(withoutJobs(toRun));
    case "bodies":
      return events(0).whereNot("disposition", dispositions.quarantined).whereRaw(withoutJobs(needsBody));
    case "runners":
      return query("runner").where("state", 1).where("beat_at", "<", span.before).orderBy("id");
  }
};

/** What makes a row of this kind long. SQLite knows the length without reading the value. */
const lengthOf = (what: Pruned): string => {
  if (what === "runners") return "0";
  return what === "events" || what === "bodies" ? "OCTET_LENGTH(body)" : "OCTET_LENGTH(payload)";
};

const remove = async (session: Session, rows: Knex.QueryBuilder, column: string, ids: readonly number[]) => {
  if (ids.length > 0) await changeRows(session, rows.whereIn(column, ids).delete());
};

/** Tables with rows that belong to events or to their jobs. Most events have none there. */
const rareTables = [
  { table: "job_failure", column: "job_id" },
  { table: "forward_attempt", column: "event_ref" },
  { table: "event_note", column: "event_ref" },
] as const;

/** Deletes what belongs to these events and jobs. One statement asks first where there is anything. */
const removeRare = async (
  session: Session,
  query: QueryBuilder,
  ids: Readonly<Record<(typeof rareTables)[number]["column"], readonly number[]>>,
): Promise<void> => {
  const asked = rareTables.filter(({ column }) => ids[column].length > 0);
  if (asked.length === 0) return;
  const columns = asked.map(({ table, column }) => {
    const places = ids[column].map(() => "?").join(", ");
    return `EXISTS (SELECT 1 FROM ${table} WHERE ${column} IN (${places})) AS ${table}`;
  });
  const [there] = await session.rows<Record<string, number | boolean>>(
    `SELECT ${columns.join(", ")}`,
    asked.flatMap(({ column }) => ids[column]),
  );
  for (const { table, column } of asked) if (there?.[table]) await remove(session, query(table), column, ids[column]);
};

const removeJobs = async (session: Session, query: QueryBuilder, ids: readonly number[]): Promise<void> => {
  await removeRare(session, query, { job_id: ids, event_ref: [] });
  await remove(session, query("job"), "id", ids);
};

/** Events that nobody needs any more, and all of their jobs. */
interface IdleEvents {
  readonly ids: readonly number[];
  readonly jobs: readonly number[];
}

/**
 * Those of the events that have no `busy` jobs. Their rows are locked until the transaction ends,
 * so that no replay comes in between.
 */
const idle = async (
  session: Session,
  query: QueryBuilder,
  ids: readonly number[],
  busy: string,
): Promise<IdleEvents> => {
  const locked = await findRows<{ id: number }>(
    session,
    query("inbox_event").select("id").whereIn("id", ids).orderBy("id").forUpdate(),
  );
  const jobs = await findRows<{ id: number; event_ref: number; busy: number }>(
    session,
    query("job")
      .select("id", "event_ref", query.raw(`CASE WHEN ${busy} THEN 1 ELSE 0 END AS busy`))
      .whereIn("event_ref", ids),
  );
  const taken = new Set(jobs.flatMap(({ event_ref: id, busy: isBusy }) => (isBusy === 1 ? [id] : [])));
  return {
    ids: idsOf(locked).filter((id) => !taken.has(id)),
    jobs: idsOf(jobs.filter(({ event_ref: id }) => !taken.has(id))),
  };
};

const dropBodies = async (session: Session, query: QueryBuilder, found: readonly number[]): Promise<number> => {
  const { ids } = await idle(session, query, found, needsBody);
  if (ids.length === 0) return 0;
  const dropped = { body: new Uint8Array(), headers: "{}", outside: null, body_dropped: 1 };
  await changeRows(session, query("inbox_event").whereIn("id", ids).update(dropped));
  return ids.length;
};

const removeEvents = async (session: Session, dialect: Dialect, found: readonly number[]): Promise<number> => {
  const { query, eventKeys } = dialect;
  const { ids, jobs } = await idle(session, query, found, toRun);
  await removeRare(session, query, { job_id: jobs, event_ref: ids });
  await remove(session, query("job"), "id", jobs);
  await eventKeys?.forget(session, ids);
  await remove(session, query("inbox_event"), "id", ids);
  return ids.length;
};

const pruneSlots = (
  { dialect: { query }, write }: Pick<Database, "dialect" | "write">,
  before: number,
  limit: number,
): Promise<number> =>
  write(async (session) => {
    const newest = query("schedule_slot AS newer")
      .max("newer.slot")
      .where("newer.name", query.ref("schedule_slot.name"));
    const old = query("schedule_slot").select("name", "slot").where("slot", "<", before).where("slot", "<", newest);
    const rows = await findRows<{ name: string; slot: number }>(session, old.orderBy(["name", "slot"]).limit(limit));
    for (const row of rows) await changeRows(session, query("schedule_slot").where(row).delete());
    return rows.length;
  });

interface ExpiredRow {
  readonly id: number;
  readonly at: number;
  readonly bytes: number;
}

const mostDue = 10_000;
const rowsOnSqlite = 50;

/** `inbox` says whether there are events; without them, housekeeping leaves their tables alone. */
export const knexHousekeeping = (
  database: Pick<OpenDatabase, "dialect" | "read" | "write" | "transaction" | "waits">,
  {
    inbox,
    resources,
    repository,
  }: { readonly inbox: boolean; readonly resources: Resources; readonly repository: RepositoryParts },
): Housekeeping => {
  const { dialect, read, write } = database;
  const { graph } = repository;
  const { query } = dialect;
  // On SQLite, every other writer waits while a transaction deletes.
  const bounds = dialect.name === "sqlite" ? { ...deletedAtOnce, rows: rowsOnSqlite } : deletedAtOnce;
  /** The time of the last row that was found, while there may be more. */
  const reached = new Map<Found, number>();

  /** Deletes these rows in as many transactions as their lengths need. Returns how many there were. */
  const removeRows = async (what: Pruned, rows: readonly ExpiredRow[]): Promise<number> => {
    let removed = 0;
    for (const portion of portionsOf(rows, ({ bytes }) => bytes, bounds)) {
      const ids = idsOf(portion);
      removed += await write(async (session) => {
        if (what === "bodies") return dropBodies(session, query, ids);
        if (what === "events") return removeEvents(session, dialect, ids);
        if (what === "runners") await remove(session, query("runner"), "id", ids);
        else await removeJobs(session, query, ids);
        return ids.length;
      });
    }
    return removed;
  };

  return {
    finishDeletions: async (limit, told) => {
      checkLimit(limit);
      // There is almost never anything to do, and a read does not wait for others.
      if ((await read((session) => session.rows("SELECT 1 FROM deletion LIMIT 1"))).length === 0) return 0;
      return database.transaction((inside) => {
        const jobs = knexJobQueue(inside);
        const before = told && {
          resources: told.resources,
          deleted: (resource: Resource, rows: readonly Row[]) => told.deleted(jobs, resource, rows),
        };
        return inside.write((session) => deleteMarked({ session, dialect, graph }, resources.values(), limit, before));
      });
    },
    unfinishedDeletions: (atMost) => read((session) => countMarked(session, graph, resources, atMost)),
    checkpoint: async () => {
      if (dialect.name !== "sqlite") return;
      await read((session) => session.rows("PRAGMA wal_checkpoint(TRUNCATE)"));
    },
    prune: async (what, before, limit, from = 0) => {
      checkLimit(limit);
      if (!inbox && (what === "events" || what === "bodies")) return 0;
      if (what === "slots") return pruneSlots(database, before, limit);
      let left = limit;
      for (const found of placesOf(what)) {
        const wanted = left;
        if (wanted === 0) break;
        const span = { from: Math.max(from, reached.get(found) ?? 0), before };
        const rows = await readQuery<ExpiredRow>(
          database,
          expired(query, found, span)
            .limit(wanted)
            .select("id", `${timeOf(found)} AS at`, query.raw(`${lengthOf(what)} AS bytes`)),
        );
        left -= await removeRows(what, rows);
        reached.set(found, rows.length < wanted ? 0 : (rows.at(-1)?.at ?? 0));
      }
      if (left > 0) for (const found of placesOf(what)) reached.delete(found);
      return limit - left;
    },
    due: async (what, before, atMost) => {
      if (!(Number.isInteger(atMost) && atMost >= 1 && atMost <= mostDue)) {
        throw new TypeError(`atMost is a whole number from 1 to ${mostDue}, not ${atMost}`);
      }
      let rows = 0;
      let oldest: number | undefined;
      if (!inbox && (what === "events" || what === "bodies")) return { rows, oldest };
      for (const found of placesOf(what)) {
        const listed = expired(query, found, { from: 0, before })
          .limit(atMost)
          .select(`${timeOf(found)} AS at`);
        const counted = query(listed.as("due")).select(query.raw("COUNT(*) AS `rows`, MIN(at) AS oldest"));
        const [row] = await readQuery<{ rows: number; oldest: number | null }>(database, counted);
        rows += row?.rows ?? 0;
        oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, row?.oldest ?? Number.POSITIVE_INFINITY);
      }
      return { rows: Math.min(rows, atMost), oldest: rows === 0 ? undefined : oldest };
    },
    waits: () => database.waits(),
  };
};
