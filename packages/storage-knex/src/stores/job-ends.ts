import { type JobEnd, jobStates } from "@postern/core";
import { chunksOf, type Database, keyText, placeholders, type Session, type Value } from "../database.ts";
import { holdsTurn, keepsTurn, passTurns } from "./lanes.ts";

/** A job that ends, or goes on some other way, now; its row is locked. */
export interface EndingJob {
  readonly id: number;
  readonly attempt: number;
  readonly order_key: string | Uint8Array | null;
  readonly order_rules: number;
  readonly unique_key: string | Uint8Array | null;
  readonly cancel_at: number | null;
  readonly end: JobEnd;
}

/** What is read of a job that is going to end. */
export const endingColumns = "id, attempt, order_key, order_rules, unique_key, cancel_at";

type Failed = EndingJob & { readonly end: Extract<JobEnd, { readonly error: string }> };

const isFailed = (job: EndingJob): job is Failed => "error" in job.end;

const runsAgain = ({ to }: JobEnd): boolean => to === "scheduled" || to === "snoozed" || to === "ready";

/** Errors are for people; what is longer is cut. */
const maxErrorLength = 4096;

const errorOf = ({ end }: EndingJob): string => ("error" in end ? end.error.slice(0, maxErrorLength) : "");

/** `CASE id WHEN … THEN … END`: another value for each of a few rows in one statement. */
const perId = (
  jobs: readonly EndingJob[],
  pick: (job: EndingJob) => Value,
): { sql: string; values: readonly Value[] } => ({
  sql: `CASE id ${jobs.map(() => "WHEN ? THEN ?").join(" ")} END`,
  values: jobs.flatMap((job) => [job.id, pick(job)]),
});

const failuresPerStatement = 100;

/** Writes how jobs go on: one statement for each way, not for each job. */
export const writeEnds = async (
  database: Database,
  session: Session,
  jobs: readonly EndingJob[],
  now: number,
): Promise<void> => {
  const { dialect } = database;
  // Whoever asked for its end gets it, unless it has come by itself.
  const cancelled = (job: EndingJob): boolean =>
    job.end.to === "cancelled" || (job.cancel_at !== null && runsAgain(job.end));
  const goingTo = (to: JobEnd["to"]): readonly EndingJob[] =>
    jobs.filter((job) => (to === "cancelled" ? cancelled(job) : job.end.to === to && !cancelled(job)));

  const move = async (moved: readonly EndingJob[], set: string, values: readonly Value[]): Promise<void> => {
    if (moved.length === 0) return;
    const where = dialect.anyOf(
      "id",
      moved.map(({ id }) => id),
    );
    await session.run(`UPDATE job SET ${set}, runner = NULL WHERE ${where.sql}`, [...values, ...where.values]);
  };

  await move(goingTo("done"), `state = ${jobStates.done}, finished_at = ?`, [now]);
  await move(goingTo("cancelled"), `state = ${jobStates.cancelled}, due_at = NULL, finished_at = ?`, [now]);
  await move(goingTo("ready"), `state = ${jobStates.ready}, attempt = attempt - 1, ready_at = ?`, [now]);
  for (const chunk of chunksOf(goingTo("snoozed"), failuresPerStatement)) {
    const dueAt = perId(chunk, ({ end }) => (end.to === "snoozed" ? end.at : null));
    await move(chunk, `state = ${jobStates.scheduled}, attempt = attempt - 1, due_at = ${dueAt.sql}`, dueAt.values);
  }
  for (const chunk of chunksOf(goingTo("dead"), failuresPerStatement)) {
    const error = perId(chunk, errorOf);
    await move(chunk, `state = ${jobStates.dead}, finished_at = ?, last_error = ${error.sql}`, [now, ...error.values]);
  }
  for (const chunk of chunksOf(goingTo("scheduled"), failuresPerStatement)) {
    const error = perId(chunk, errorOf);
    const dueAt = perId(chunk, ({ end }) => (end.to === "scheduled" ? end.at : null));
    await move(chunk, `state = ${jobStates.scheduled}, due_at = ${dueAt.sql}, last_error = ${error.sql}`, [
      ...dueAt.values,
      ...error.values,
    ]);
  }
  for (const chunk of chunksOf(jobs.filter(isFailed), failuresPerStatement)) {
    await session.run(
      `INSERT INTO job_failure (job_id, attempt, at, error) VALUES ${placeholders(chunk.length, 4)}`,
      chunk.flatMap((job) => [job.id, job.attempt, now, errorOf(job)]),
    );
  }

  const over = jobs.filter((job) => cancelled(job) || !runsAgain(job.end));
  const unique = over.filter((job) => job.unique_key !== null);
  await move(unique, "unique_key = NULL", []);
  const givesTurnAway = (job: EndingJob): boolean => {
    if (cancelled(job)) return true;
    const { to } = job.end;
    if (to === "dead") return !holdsTurn(job.order_rules);
    return to === "done" || (to !== "ready" && !keepsTurn(job.order_rules));
  };
  const inOrder = jobs.filter((job) => job.order_key !== null && givesTurnAway(job));
  if (inOrder.length === 0) return;
  await passTurns(
    database,
    session,
    inOrder.map(({ id, order_key: key }) => ({ id, orderKey: keyText(key ?? "") })),
    now,
  );
};
