import { causeId, effectiveEnd, firstLineOf, isFinal, keepsTurn, stateAfter } from "@postern/core/internal";
import { type Failed, type JobEnd, jobStates, type Lease } from "@postern/core/ports";
import {
  chunksOf,
  type Database,
  idsOf,
  keyText,
  placeholders,
  type Session,
  type Statement,
  type Value,
} from "../engine/database.ts";
import { addToFeed } from "./knex-feed-store.ts";
import { passTurns, rulesOf } from "./lanes.ts";

/** A job that now ends or changes in another way. Its row is locked. */
export interface EndingJob {
  readonly id: number;
  readonly attempt: number;
  readonly order_key: string | Uint8Array | null;
  readonly order_rules: number;
  readonly unique_key: string | Uint8Array | null;
  readonly cancel_at: number | null;
  readonly committed_at: number | null;
  readonly end: JobEnd;
}

/** The columns to read of a job that is about to end. */
export const endingColumns = "id, attempt, order_key, order_rules, unique_key, cancel_at, committed_at";

/** Errors are for people to read. Longer ones are cut, in characters. */
const maxErrorLength = 4096;
const maxStackLength = 8192;

const errorOf = ({ end }: EndingJob): string => ("error" in end ? end.error.slice(0, maxErrorLength) : "");
/** The error, and below it the lines of its stack, which may be as long. */
const failureOf = (job: EndingJob): string => {
  const stack = "error" in job.end ? job.end.stack : undefined;
  return stack === undefined ? errorOf(job) : `${errorOf(job)}\n${stack.slice(0, maxStackLength)}`;
};
const timeOf = ({ end }: EndingJob): number | null => ("at" in end ? end.at : null);

/** `CASE id WHEN … THEN … END`: another value for each of a few rows in one statement. */
const perId = (jobs: readonly EndingJob[], pick: (job: EndingJob) => Value): Statement => ({
  sql: `CASE id ${jobs.map(() => "WHEN ? THEN ?").join(" ")} END`,
  values: jobs.flatMap((job) => [job.id, pick(job)]),
});

const failuresPerStatement = 100;

/** The end that the life cycle gives a job that was to end in `job.end`. */
export const effectiveEndOf = (job: EndingJob): JobEnd =>
  effectiveEnd(job.end, { committed: job.committed_at !== null, cancelAsked: job.cancel_at !== null });

/** Writes the new states of jobs: one statement for each kind of end, not for each job. */
export const writeEnds = async (
  database: Database,
  session: Session,
  jobs: readonly EndingJob[],
  now: number,
): Promise<void> => {
  const { dialect } = database;
  const ends = new Map(jobs.map((job) => [job.id, effectiveEndOf(job)]));
  const endOf = ({ id, end }: EndingJob): JobEnd => ends.get(id) ?? end;
  const goingTo = (to: JobEnd["to"]): readonly EndingJob[] => jobs.filter((job) => endOf(job).to === to);

  /** Writes the state that follows from the end, and what else changes with it. */
  const move = async (
    moved: readonly EndingJob[],
    to: JobEnd["to"],
    change: string,
    values: readonly Value[],
  ): Promise<void> => {
    const [first] = moved;
    if (first === undefined) return;
    const where = dialect.anyOf("id", idsOf(moved));
    const runner = to === "committed" ? "" : ", runner = NULL";
    const state = jobStates[stateAfter(endOf(first))];
    const sql = `UPDATE job SET state = ${state}, ${change}${runner} WHERE ${where.sql}`;
    await session.run(sql, [...values, ...where.values]);
  };

  await move(goingTo("done"), "done", "finished_at = ?, place = NULL", [now]);
  await move(goingTo("committed"), "committed", "committed_at = ?", [now]);
  await move(goingTo("cancelled"), "cancelled", "due_at = NULL, finished_at = ?, place = NULL", [now]);
  const time = dialect.microseconds();
  const again = `attempt = attempt - 1, ready_at = ?, ready_order = ${time.sql}`;
  await move(goingTo("ready"), "ready", again, [now, ...time.values]);
  for (const chunk of chunksOf(goingTo("snoozed"), failuresPerStatement)) {
    const dueAt = perId(chunk, timeOf);
    await move(chunk, "snoozed", `attempt = attempt - 1, due_at = ${dueAt.sql}`, dueAt.values);
  }
  for (const chunk of chunksOf(goingTo("dead"), failuresPerStatement)) {
    const error = perId(chunk, errorOf);
    await move(chunk, "dead", `finished_at = ?, last_error = ${error.sql}`, [now, ...error.values]);
  }
  for (const chunk of chunksOf(goingTo("scheduled"), failuresPerStatement)) {
    const error = perId(chunk, errorOf);
    const dueAt = perId(chunk, timeOf);
    const change = `due_at = ${dueAt.sql}, last_error = ${error.sql}`;
    await move(chunk, "scheduled", change, [...dueAt.values, ...error.values]);
  }
  const failed = jobs.filter((job) => "error" in job.end && job.committed_at === null);
  await keepFailures(database, session, failed, now);

  const unique = jobs.filter((job) => job.unique_key !== null && isFinal(endOf(job)));
  if (unique.length > 0) {
    const where = dialect.anyOf("id", idsOf(unique));
    await session.run(`UPDATE job SET unique_key = NULL WHERE ${where.sql}`, where.values);
  }
  const leaving = jobs.flatMap((job) =>
    job.order_key === null || keepsTurn(endOf(job), rulesOf(job.order_rules))
      ? []
      : [{ id: job.id, orderKey: keyText(job.order_key) }],
  );
  if (leaving.length > 0) await passTurns(database, session, leaving, now);
};

/** `JobQueue.failAfterCommit`, within a transaction. */
export const failAfterCommit = async (
  database: Database,
  session: Session,
  { id, lease }: Lease,
  failure: Failed,
  now: number,
): Promise<boolean> => {
  const { changed } = await session.run(
    `UPDATE job SET after_commit = attempt, last_error = ? WHERE id = ? AND lease = ? AND state = ${jobStates.done} AND after_commit IS NULL`,
    [failure.error.slice(0, maxErrorLength), id, lease],
  );
  if (changed === 0) return false;
  const failed = await session.rows<Omit<EndingJob, "end">>(`SELECT ${endingColumns} FROM job WHERE id = ?`, [id]);
  const ended = failed.map((job): EndingJob => ({ ...job, end: { to: "done", ...failure } }));
  await keepFailures(database, session, ended, now);
  return true;
};

/** The columns of a job that its failures are kept with. Only failures read them. */
interface FailedJob {
  readonly id: number;
  readonly kind: string;
  readonly event_ref: number | null;
}

const keepFailures = async (
  { dialect }: Database,
  session: Session,
  failed: readonly EndingJob[],
  now: number,
): Promise<void> => {
  for (const chunk of chunksOf(failed, failuresPerStatement)) {
    const where = dialect.anyOf("id", idsOf(chunk));
    const rows = await session.rows<FailedJob>(`SELECT id, kind, event_ref FROM job WHERE ${where.sql}`, where.values);
    const found = new Map(rows.map((row) => [row.id, row]));
    await session.run(
      `INSERT INTO job_failure (job_id, attempt, at, error, event_ref, cause, log) VALUES ${placeholders(chunk.length, 7)}`,
      chunk.flatMap((job) => {
        const row = found.get(job.id);
        const error = failureOf(job);
        const log = "error" in job.end && job.end.log !== undefined ? JSON.stringify(job.end.log) : null;
        return [job.id, job.attempt, now, error, row?.event_ref ?? null, causeId(row?.kind ?? "", error), log];
      }),
    );
    const jobs = chunk.map((job) => ({
      id: job.id,
      kind: found.get(job.id)?.kind ?? "",
      eventId: found.get(job.id)?.event_ref ?? undefined,
      attempt: job.attempt,
      state: stateAfter(effectiveEndOf(job)),
      error: firstLineOf(errorOf(job)),
    }));
    await addToFeed(session, now, { jobs });
  }
};
