import { type JobFilter, type JobQuery, type JobState, jobStates } from "@postern/core/parts";
import type { Knex } from "knex";
import type { Database } from "../database.ts";
import { paged } from "../query-builder.ts";
import { jobsOfCause } from "./failure-causes.ts";

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

/** Selects the jobs that fit a filter, in no order. */
export const narrowedJobs = (
  database: Pick<Database, "dialect">,
  { eventId, state, kind, queue, current, kinds, cause }: JobFilter,
  way: Way = "any",
): Knex.QueryBuilder => {
  const jobs = database.dialect.query("job");
  const exact = { event_ref: eventId, kind, queue };
  for (const [column, value] of Object.entries(exact)) if (value !== undefined) jobs.where(column, value);
  if (current === true) jobs.whereNull("replaced_by");
  if (kinds !== undefined) "in" in kinds ? jobs.whereIn("kind", kinds.in) : jobs.whereNotIn("kind", kinds.notIn);
  if (state !== undefined) jobs.whereRaw(inState(state, way));
  if (cause !== undefined) jobs.whereIn("id", jobsOfCause(database, cause));
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
