import { type Expiring, type Housekeeping, jobStates } from "@postern/core/parts";
import type { Knex } from "knex";
import type { Resources } from "../condition-to-sql.ts";
import { checkLimit, type Database, idsOf, type Session } from "../database.ts";
import { countMarked, deleteMarked, type ResourceGraph } from "../deleted-rows.ts";
import type { Dialect } from "../dialect.ts";
import { deletedAtOnce, portionsOf } from "../portions.ts";
import { changeRows, findRows, type QueryBuilder, readQuery } from "../query-builder.ts";
import { dispositions } from "./event-state.ts";
import { isHolding } from "./lanes.ts";

const { done, dead, cancelled, ready, scheduled, running, blocked } = jobStates;

const toRun = `(job.state IN (${ready}, ${scheduled}, ${running}, ${blocked}) OR ${isHolding})`;
/**
 * Jobs that will run or can be replayed. A dead job can be replayed if no other job has replaced
 * it.
 */
const needsBody = `(${toRun} OR (job.state = ${dead} AND job.replaced_by IS NULL))`;

/** Jobs that have ended in this state, oldest end first. */
const endedJobs = (query: QueryBuilder, state: number, before: number): Knex.QueryBuilder =>
  // Raw, and it says twice that they have ended: SQLite uses its index of ended jobs only if the
  // text says so.
  query("job")
    .whereRaw(`state >= ${done} AND state = ${state}`)
    .where("finished_at", "<", before)
    .orderBy("finished_at");

const aboutNoEvent = `event_ref IS NULL AND NOT ${isHolding}`;

const withoutJobs = (jobs: string): string =>
  `NOT EXISTS (SELECT 1 FROM job WHERE job.event_ref = inbox_event.id AND ${jobs})`;

/**
 * The rows to delete. They are found first, without locks, and then deleted by their keys in order.
 */
const expired = (
  query: QueryBuilder,
  what: Exclude<Expiring, "slots" | "audit">,
  before: number,
  limit: number,
): Knex.QueryBuilder => {
  switch (what) {
    case "done_jobs":
      return endedJobs(query, done, before).limit(limit);
    case "cancelled_jobs":
      return endedJobs(query, cancelled, before).whereRaw(aboutNoEvent).limit(limit);
    case "dead_jobs":
      return endedJobs(query, dead, before).whereRaw(aboutNoEvent).limit(limit);
    case "events": {
      // Name both values, because the index begins with this column.
      const old = query("inbox_event").whereIn("body_dropped", [0, 1]).where("received_at", "<", before);
      return old.whereRaw(withoutJobs(toRun)).limit(limit);
    }
    case "bodies": {
      const old = query("inbox_event").where("body_dropped", 0).where("received_at", "<", before);
      return old.whereNot("disposition", dispositions.quarantined).whereRaw(withoutJobs(needsBody)).limit(limit);
    }
    case "runners":
      return query("runner").where("state", 1).where("beat_at", "<", before).orderBy("id").limit(limit);
  }
};

/** What makes a row of this kind long. SQLite knows the length without reading the value. */
const lengthOf = (what: Exclude<Expiring, "slots" | "audit">): string => {
  if (what === "runners") return "0";
  return what === "events" || what === "bodies" ? "OCTET_LENGTH(body)" : "OCTET_LENGTH(payload)";
};

const remove = async (session: Session, rows: Knex.QueryBuilder, column: string, ids: readonly number[]) => {
  if (ids.length > 0) await changeRows(session, rows.whereIn(column, ids).delete());
};

const removeJobs = async (session: Session, query: QueryBuilder, ids: readonly number[]): Promise<void> => {
  await remove(session, query("job_failure"), "job_id", ids);
  await remove(session, query("job"), "id", ids);
};

/**
 * Those of the events that have no `busy` jobs. Their rows are locked until the transaction ends,
 * so that no replay comes in between.
 */
const idle = async (
  session: Session,
  query: QueryBuilder,
  ids: readonly number[],
  busy: string,
): Promise<readonly number[]> => {
  const locked = await findRows<{ id: number }>(
    session,
    query("inbox_event").select("id").whereIn("id", ids).orderBy("id").forUpdate(),
  );
  const found = await findRows<{ event_ref: number }>(
    session,
    query("job").select("event_ref").whereIn("event_ref", ids).whereRaw(busy),
  );
  const taken = new Set(found.map(({ event_ref: id }) => id));
  return idsOf(locked).filter((id) => !taken.has(id));
};

const dropBodies = async (session: Session, query: QueryBuilder, found: readonly number[]): Promise<number> => {
  const ids = await idle(session, query, found, needsBody);
  if (ids.length === 0) return 0;
  const dropped = { body: new Uint8Array(), headers: "{}", body_dropped: 1 };
  await changeRows(session, query("inbox_event").whereIn("id", ids).update(dropped));
  return ids.length;
};

const removeEvents = async (session: Session, dialect: Dialect, found: readonly number[]): Promise<number> => {
  const { query, eventKeys } = dialect;
  const ids = await idle(session, query, found, toRun);
  const jobs = await findRows<{ id: number }>(session, query("job").select("id").whereIn("event_ref", ids));
  await removeJobs(session, query, idsOf(jobs));
  await remove(session, query("forward_attempt"), "event_ref", ids);
  await remove(session, query("event_note"), "event_ref", ids);
  await eventKeys?.forget(session, ids);
  await remove(session, query("inbox_event"), "id", ids);
  return ids.length;
};

const pruneSlots = ({ dialect: { query }, write }: Database, before: number, limit: number): Promise<number> =>
  write(async (session) => {
    const newest = query("schedule_slot AS newer")
      .max("newer.slot")
      .where("newer.name", query.ref("schedule_slot.name"));
    const old = query("schedule_slot").select("name", "slot").where("slot", "<", before).where("slot", "<", newest);
    const rows = await findRows<{ name: string; slot: number }>(session, old.orderBy(["name", "slot"]).limit(limit));
    for (const row of rows) await changeRows(session, query("schedule_slot").where(row).delete());
    return rows.length;
  });

/** `inbox` says whether there are events; without them, housekeeping leaves their tables alone. */
export const knexHousekeeping = (
  database: Database,
  {
    inbox,
    resources,
    graph,
  }: { readonly inbox: boolean; readonly resources: Resources; readonly graph: ResourceGraph },
): Housekeeping => {
  const { dialect, read, write } = database;
  const { query } = dialect;

  return {
    finishDeletions: async (limit) => {
      checkLimit(limit);
      // There is almost never anything to do, and a read does not wait for others.
      if ((await read((session) => session.rows("SELECT 1 FROM deletion LIMIT 1"))).length === 0) return 0;
      return write((session) => deleteMarked({ session, dialect, graph }, resources.values(), limit));
    },
    unfinishedDeletions: (atMost) => read((session) => countMarked(session, graph, resources, atMost)),
    checkpoint: async () => {
      if (dialect.name !== "sqlite") return;
      await read((session) => session.rows("PRAGMA wal_checkpoint(TRUNCATE)"));
    },
    prune: async (what, before, limit) => {
      checkLimit(limit);
      if (!inbox && (what === "events" || what === "bodies")) return 0;
      if (what === "slots") return pruneSlots(database, before, limit);
      const found = expired(query, what, before, limit).select("id", query.raw(`${lengthOf(what)} AS bytes`));
      const rows = await readQuery<{ id: number; bytes: number }>(database, found);
      let pruned = 0;
      for (const portion of portionsOf(rows, ({ bytes }) => bytes, deletedAtOnce)) {
        const ids = idsOf(portion);
        pruned += await write(async (session) => {
          if (what === "bodies") return dropBodies(session, query, ids);
          if (what === "events") return removeEvents(session, dialect, ids);
          if (what === "runners") await remove(session, query("runner"), "id", ids);
          else await removeJobs(session, query, ids);
          return ids.length;
        });
      }
      return pruned;
    },
  };
};
