import { endedStates, givenUpStates } from "@postern/core/internal";
import {
  type JobFailure,
  type JobFilter,
  type JobQuery,
  type JobRecords,
  type JobState,
  jobStates,
} from "@postern/core/ports";
import type { Knex } from "knex";
import { checkLimit, type Database, keyText, readRows, type Session } from "../engine/database.ts";
import { countRows, findRows, paged } from "../engine/query-builder.ts";
import { storedJson } from "../engine/stored-json.ts";
import { areMany, nearbyPage } from "./backlog.ts";
import { dispositions } from "./event-state.ts";
import { causesSince, jobsOfCause } from "./failure-causes.ts";
import { type EndingJob, endingColumns, writeEnds } from "./job-ends.ts";
import {
  type JobRow,
  jobColumns,
  type ReplacedRow,
  replacedColumns,
  replaceJobs,
  runAtOnce,
  stateName,
  toJob,
} from "./job-rows.ts";
import { isHolding, passTurns } from "./lanes.ts";

/**
 * How to find the jobs of a state: as the database chooses, by the index of the state, or in the
 * order of their ids.
 */
type Way = "any" | "by state" | "by id";

/**
 * The state is written into the text, because SQLite uses a partial index only if it can read the
 * condition of the index. For `+state` it uses none.
 */
const inState = (state: JobState, way: Way): string => {
  const code = jobStates[state];
  if (way === "by state") return `id IN (SELECT id FROM job WHERE state = ${code})`;
  return way === "by id" ? `+state = ${code}` : `state = ${code}`;
};

/** So many ids on each side are looked at for neighbours: no index has the keys of jobs that have ended. */
const nearIds = 10_000;

/** The sender of the event that a job is about. As a join, PostgreSQL would read all events of the sender. */
const senderOfJob = "(SELECT provider FROM inbox_event WHERE inbox_event.id = job.event_ref)";

/** Selects the jobs that fit a filter, in no order. */
const narrowedJobs = (
  database: Pick<Database, "dialect">,
  { eventId, state, kind, queue, current, kinds, cause, provider, since, until }: JobFilter,
  way: Way = "any",
): Knex.QueryBuilder => {
  const jobs = database.dialect.query("job");
  const exact = { event_ref: eventId, kind, queue };
  for (const [column, value] of Object.entries(exact)) if (value !== undefined) jobs.where(column, value);
  if (current === true) jobs.whereNull("replaced_by");
  if (kinds !== undefined) "in" in kinds ? jobs.whereIn("kind", kinds.in) : jobs.whereNotIn("kind", kinds.notIn);
  if (state !== undefined) jobs.whereRaw(inState(state, way));
  if (cause !== undefined) jobs.whereIn("id", jobsOfCause(database, cause));
  if (provider !== undefined) jobs.whereRaw(`${senderOfJob} = ?`, [provider]);
  if (since !== undefined) jobs.where("created_at", ">=", since);
  if (until !== undefined) jobs.where("created_at", "<", until);
  return jobs;
};

/** Partial indexes have the jobs of these states in the order of their ids, or the next ones are near. */
const inOrderOfIds: ReadonlySet<JobState> = new Set(["done", "dead", "cancelled"]);

/**
 * Selects a page of a list of jobs that costs the same wherever it lies, because an index has the
 * jobs in the list's order. `undefined` if there is none.
 */
export const pageOfJobs = (database: Pick<Database, "dialect">, page: JobQuery): Knex.QueryBuilder | undefined => {
  const { state, ...rest } = page;
  if (state === undefined || page.eventId !== undefined) return paged(narrowedJobs(database, page), page);
  if (!database.dialect.hasPartialIndexes) {
    return paged(narrowedJobs(database, rest), page, { column: "state", value: jobStates[state] });
  }
  return inOrderOfIds.has(state) ? paged(narrowedJobs(database, page), page) : undefined;
};

export const ended: ReadonlySet<number> = new Set(endedStates.map((state) => jobStates[state]));
export const givenUp: ReadonlySet<number> = new Set(givenUpStates.map((state) => jobStates[state]));

/**
 * Cancels a dead job that holds the turn of its order key, so that the next in line gets it. False
 * for any other ended job.
 */
export const letGo = async (
  database: Database,
  session: Session,
  job: Pick<EndingJob, "id" | "order_key">,
  now: number,
): Promise<boolean> => {
  const { changed } = await session.run(
    `UPDATE job SET state = ${jobStates.cancelled}, finished_at = ? WHERE id = ? AND ${isHolding}`,
    [now, job.id],
  );
  if (changed === 0 || job.order_key === null) return false;
  await passTurns(database, session, [{ id: job.id, orderKey: keyText(job.order_key) }], now);
  return true;
};

/** `JobRecords.cancel`, within a transaction. */
const cancelJob = async (
  database: Database,
  session: Session,
  id: number,
  now: number,
): Promise<"cancelled" | "requested" | undefined> => {
  const [job] = await session.rows<Omit<EndingJob, "end"> & { state: number }>(
    `SELECT ${endingColumns}, state FROM job WHERE id = ?${database.dialect.forUpdate}`,
    [id],
  );
  if (job === undefined) return undefined;
  if (ended.has(job.state)) return (await letGo(database, session, job, now)) ? "cancelled" : undefined;
  if (job.state === jobStates.running) {
    await session.run("UPDATE job SET cancel_at = ? WHERE id = ? AND cancel_at IS NULL", [now, id]);
    return "requested";
  }
  // A blocked job does not have the turn, so it cannot pass it on.
  const inOrder = job.state === jobStates.blocked ? { order_key: null } : {};
  await writeEnds(database, session, [{ ...job, ...inOrder, end: { to: "cancelled" } }], now);
  return "cancelled";
};

/**
 * Locks the event that a job is about, so that a retry of the job and a replay of the event come
 * one after the other. Returns whether the event may run again: its body is still kept, and it was
 * not discarded. A job without an event has no such row, and a storage without the part `inbox` has
 * no such table.
 */
const lockEventOf = async (database: Database, session: Session, id: number): Promise<boolean> => {
  const [about] = await session.rows<{ event_ref: number | null }>("SELECT event_ref FROM job WHERE id = ?", [id]);
  if (about === undefined || about.event_ref === null) return true;
  const [event] = await session.rows<{ body_dropped: number; disposition: number }>(
    `SELECT body_dropped, disposition FROM inbox_event WHERE id = ?${database.dialect.forUpdate}`,
    [about.event_ref],
  );
  return event?.body_dropped !== 1 && event?.disposition !== dispositions.discarded;
};

/** `JobRecords.retry`, within a transaction. */
const retryJob = async (database: Database, session: Session, id: number, now: number): Promise<number | undefined> => {
  const mayRun = await lockEventOf(database, session, id);
  const [job] = await session.rows<ReplacedRow & { state: number; replaced_by: number | null }>(
    `SELECT ${replacedColumns}, state, replaced_by FROM job WHERE id = ?${database.dialect.forUpdate}`,
    [id],
  );
  if (job?.state === jobStates.scheduled) {
    await runAtOnce(database, session, id, now);
    return id;
  }
  if (job === undefined || !givenUp.has(job.state) || job.replaced_by !== null || !mayRun) return undefined;
  return (await replaceJobs(database, session, [job], { now }))[0];
};

/** A page of a list of jobs. */
const findPage = async (database: Database, session: Session, page: JobQuery): Promise<JobRow[]> => {
  const columns = database.dialect.query.raw(jobColumns);
  const inOrder = pageOfJobs(database, page);
  if (inOrder !== undefined) return findRows<JobRow>(session, inOrder.select(columns));
  const query = narrowedJobs(database, page, "by id").select(columns);
  const near = (await areMany(database, session, page.state === undefined ? [] : [page.state]))
    ? await nearbyPage<JobRow>(database, session, { table: "job", query, page })
    : undefined;
  return near ?? findRows<JobRow>(session, paged(narrowedJobs(database, page, "by state").select(columns), page));
};

export const knexJobRecords = (database: Database): JobRecords => ({
  find: async (id) => {
    const [row] = await readRows<JobRow>(database, `SELECT ${jobColumns} FROM job WHERE id = ?`, [id]);
    return row === undefined ? undefined : toJob(row);
  },
  list: async (query) => {
    checkLimit(query.limit);
    const rows = await database.read((session) => findPage(database, session, query));
    return rows.map(toJob);
  },
  count: ({ after, ...filter }, atMost) =>
    database.read((session) => {
      const jobs = narrowedJobs(database, filter);
      if (after !== undefined) jobs.where("id", ">", after);
      return countRows(session, [jobs], atMost);
    }),
  neighbours: async (id, limit) => {
    checkLimit(limit);
    return database.read(async (session) => {
      const sql = `SELECT ${jobColumns} FROM job WHERE id`;
      const [job] = await session.rows<JobRow>(`${sql} = ?`, [id]);
      const key = job?.orderKey ?? null;
      if (key === null) return { before: [], after: [] };
      const before = await session.rows<JobRow>(`${sql} BETWEEN ? AND ? AND order_key = ? ORDER BY id DESC LIMIT ?`, [
        ...[id - nearIds, id - 1],
        ...[key, limit],
      ]);
      const after = await session.rows<JobRow>(`${sql} BETWEEN ? AND ? AND order_key = ? ORDER BY id LIMIT ?`, [
        ...[id + 1, id + nearIds],
        ...[key, limit],
      ]);
      return { before: before.map(toJob), after: after.map(toJob) };
    });
  },
  failures: async (id, limit) => {
    checkLimit(limit);
    const newest = await readRows<
      Omit<JobFailure, "log" | "afterCommit"> & { readonly log: string | null; readonly afterCommit: number | null }
    >(
      database,
      "SELECT job_failure.attempt, at, error, log, job.after_commit AS `afterCommit` FROM job_failure " +
        "LEFT JOIN job ON job.id = job_failure.job_id WHERE job_id = ? ORDER BY job_failure.id DESC LIMIT ?",
      [id, limit],
    );
    return newest.toReversed().map(({ log, afterCommit, ...rest }) => ({
      ...rest,
      afterCommit: afterCommit === rest.attempt,
      log: (log === null ? undefined : storedJson<JobFailure["log"]>("job_failure.log", log)?.value) ?? [],
    }));
  },
  causes: async (query) => {
    checkLimit(query.limit);
    return database.read((session) => causesSince(database, session, query));
  },
  countByState: async () => {
    const rows = await readRows<{ state: number; jobs: number }>(
      database,
      `SELECT state, COUNT(*) AS jobs FROM job WHERE state <> ${jobStates.dead} GROUP BY state UNION ALL
           SELECT ${jobStates.dead}, COUNT(*) FROM job WHERE state = ${jobStates.dead} AND replaced_by IS NULL`,
    );
    // The keys of this table are the states.
    const counts = Object.fromEntries(Object.keys(jobStates).map((state) => [state, 0])) as Record<JobState, number>;
    for (const { state, jobs } of rows) counts[stateName(state)] += jobs;
    return counts;
  },
  cancel: (id, now) => database.write((session) => cancelJob(database, session, id, now)),
  retry: (id, now) => database.write((session) => retryJob(database, session, id, now)),
});
