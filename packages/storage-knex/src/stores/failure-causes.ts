import type { FailureCause, FailureCauses } from "@postern/core/ports";
import type { Knex } from "knex";
import { type Database, type InRow, type Session, withoutNulls } from "../engine/database.ts";
import { findRows, type Page, paged } from "../engine/query-builder.ts";

type OnDialect = Pick<Database, "dialect">;

/**
 * The condition that a failure is the latest of its job. It counts the later ones, which are few.
 * PostgreSQL would join a `NOT EXISTS` with all failures, and look for a `MAX` among all of them.
 */
const isLatest =
  "(SELECT COUNT(*) FROM job_failure AS later WHERE later.job_id = job_failure.job_id AND later.id > job_failure.id) = 0";

/** The condition that no other job has replaced the job of a failure. */
const isCurrent = "(SELECT replaced_by FROM job AS failed WHERE failed.id = job_failure.job_id) IS NULL";

/** Selects the latest failures of jobs, of those with this cause. */
const latestFailures = ({ dialect }: OnDialect, cause: string): Knex.QueryBuilder =>
  dialect.query("job_failure").where("cause", cause).whereRaw(isLatest);

/** The jobs whose latest failure has this cause. */
export const jobsOfCause = (database: OnDialect, cause: string): Knex.QueryBuilder =>
  latestFailures(database, cause).select("job_id");

/** The events with a current job whose latest failure has this cause. */
export const eventsOfCause = (database: OnDialect, cause: string): Knex.QueryBuilder =>
  latestFailures(database, cause).whereRaw(isCurrent).whereNotNull("event_ref").select("event_ref");

/** The next of these events in the order of a list, from the index that has them in this order. */
export const nextEventsOfCause = (database: OnDialect, cause: string, page: Page): Knex.QueryBuilder =>
  paged(eventsOfCause(database, cause).distinct(), page, undefined, "event_ref");

interface CauseRow extends Omit<FailureCause, "example"> {
  readonly newestEvent: number | null;
  readonly total: number;
}

/** The last failure of a cause about its newest event. */
const exampleOf = async (
  { dialect }: OnDialect,
  session: Session,
  { id: cause, newestEvent: event }: CauseRow,
): Promise<FailureCause["example"] | undefined> => {
  const failures = dialect
    .query("job_failure")
    .join("job", "job.id", "job_failure.job_id")
    .select({ jobId: "job_failure.job_id", eventId: "job_failure.event_ref", kind: "job.kind" })
    .select("job_failure.at", "job_failure.error")
    .where("job_failure.cause", cause)
    .orderBy([
      { column: "job_failure.at", order: "desc" },
      { column: "job_failure.id", order: "desc" },
    ])
    .limit(1);
  if (event === null) failures.whereNull("job_failure.event_ref");
  else failures.where("job_failure.event_ref", event);
  const [row] = await findRows<InRow<FailureCause["example"]>>(session, failures);
  return row === undefined ? undefined : withoutNulls(row);
};

/** `JobRecords.causes`. It reads an index with an entry for each failure, and no failure but the examples. */
export const causesSince = async (
  database: OnDialect,
  session: Session,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<FailureCauses> => {
  const { query } = database.dialect;
  const counted = query("job_failure")
    .select({ id: "cause" }, query.raw("SUM(COUNT(*)) OVER () AS total"))
    .count({ failures: "*" })
    .min({ firstAt: "at" })
    .max({ lastAt: "at" })
    .max({ newestEvent: "event_ref" })
    .whereNotNull("cause")
    .where("at", ">=", since)
    .groupBy("cause")
    .orderBy([{ column: "failures", order: "desc" }, "cause"])
    .limit(limit);
  const rows = await findRows<CauseRow>(session, counted);
  const causes: FailureCause[] = [];
  for (const row of rows) {
    const example = await exampleOf(database, session, row);
    // Retention may have deleted it since it was counted.
    if (example === undefined) continue;
    const { total: _total, newestEvent: _newest, ...cause } = row;
    causes.push({ ...cause, failures: Number(cause.failures), example });
  }
  // MySQL returns a sum as a decimal number in text.
  return { failures: Number(rows[0]?.total ?? 0), causes };
};
