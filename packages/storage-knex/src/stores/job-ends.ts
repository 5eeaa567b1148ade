import { type JobEnd, jobStates } from "@postern/core";
import { chunksOf, type Database, placeholders, type Session, type Value } from "../database.ts";

/** A running job that ends now; its row is locked. */
export interface EndingJob {
  readonly id: number;
  readonly attempt: number;
  readonly end: JobEnd;
}

type Failed = EndingJob & { readonly end: Extract<JobEnd, { readonly error: string }> };

const isFailed = (job: EndingJob): job is Failed => "error" in job.end;

/** Errors are for people; what is longer is cut. */
const maxErrorLength = 4096;

/** `CASE id WHEN … THEN … END`: another value for each of a few rows in one statement. */
const perId = (jobs: readonly Failed[], pick: (job: Failed) => Value): { sql: string; values: readonly Value[] } => ({
  sql: `CASE id ${jobs.map(() => "WHEN ? THEN ?").join(" ")} END`,
  values: jobs.flatMap((job) => [job.id, pick(job)]),
});

/** Writes how jobs end: one statement for each way, not for each job. */
export const writeEnds = async (
  { dialect }: Database,
  session: Session,
  jobs: readonly EndingJob[],
  now: number,
): Promise<void> => {
  const idsOf = (to: JobEnd["to"]): readonly number[] => jobs.filter(({ end }) => end.to === to).map(({ id }) => id);

  const move = async (ids: readonly number[], set: string, values: readonly Value[]): Promise<void> => {
    if (ids.length === 0) return;
    const where = dialect.anyOf("id", ids);
    await session.run(`UPDATE job SET ${set}, runner = NULL WHERE ${where.sql}`, [...values, ...where.values]);
  };

  await move(idsOf("done"), `state = ${jobStates.done}, finished_at = ?`, [now]);
  await move(idsOf("ready"), `state = ${jobStates.ready}, attempt = attempt - 1`, []);

  const failed = jobs.filter(isFailed);
  const errorOf = ({ end }: Failed): string => end.error.slice(0, maxErrorLength);
  for (const chunk of chunksOf(failed, 100)) {
    const dead = chunk.filter(({ end }) => end.to === "dead");
    const again = chunk.filter(({ end }) => end.to === "scheduled");
    if (dead.length > 0) {
      const error = perId(dead, errorOf);
      await move(
        dead.map(({ id }) => id),
        `state = ${jobStates.dead}, finished_at = ?, last_error = ${error.sql}`,
        [now, ...error.values],
      );
    }
    if (again.length > 0) {
      const error = perId(again, errorOf);
      const dueAt = perId(again, ({ end }) => (end.to === "scheduled" ? end.at : null));
      await move(
        again.map(({ id }) => id),
        `state = ${jobStates.scheduled}, due_at = ${dueAt.sql}, last_error = ${error.sql}`,
        [...dueAt.values, ...error.values],
      );
    }
    await session.run(
      `INSERT INTO job_failure (job_id, attempt, at, error) VALUES ${placeholders(chunk.length, 4)}`,
      chunk.flatMap((job) => [job.id, job.attempt, now, errorOf(job)]),
    );
  }
};
