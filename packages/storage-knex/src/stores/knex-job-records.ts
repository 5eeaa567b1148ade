import { endedStates, givenUpStates, type JobFailure, type JobRecords, type JobState, jobStates } from "@postern/core";
import { checkLimit, type Database, keyText, type Session, type Value } from "../database.ts";
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

const ended: ReadonlySet<number> = new Set(endedStates.map((state) => jobStates[state]));
const givenUp: ReadonlySet<number> = new Set(givenUpStates.map((state) => jobStates[state]));

export const knexJobRecords = (database: Database): JobRecords => {
  const { dialect } = database;

  /** Cancels a dead job that holds its order key, so that the next in line has the turn; false for any other that has ended. */
  const letGo = async (session: Session, job: Pick<EndingJob, "id" | "order_key">, now: number): Promise<boolean> => {
    const { changed } = await session.run(
      `UPDATE job SET state = ${jobStates.cancelled}, finished_at = ? WHERE id = ? AND ${isHolding}`,
      [now, job.id],
    );
    if (changed === 0 || job.order_key === null) return false;
    await passTurns(database, session, [{ id: job.id, orderKey: keyText(job.order_key) }], now);
    return true;
  };

  return {
    find: async (id) => {
      const [row] = await database.read((session) =>
        session.rows<JobRow>(`SELECT ${jobColumns} FROM job WHERE id = ?`, [id]),
      );
      return row === undefined ? undefined : toJob(row);
    },
    list: async ({ eventId, state, kind, queue, before, limit }) => {
      checkLimit(limit);
      const conditions: [string, Value][] = [];
      if (eventId !== undefined) conditions.push(["event_ref = ?", eventId]);
      if (kind !== undefined) conditions.push(["kind = ?", kind]);
      if (queue !== undefined) conditions.push(["queue = ?", queue]);
      if (before !== undefined) conditions.push(["id < ?", before]);
      // The state stands in the text: SQLite uses a partial index only when it can read that it applies.
      const where = [
        "1 = 1",
        ...conditions.map(([sql]) => sql),
        ...(state === undefined ? [] : [`state = ${jobStates[state]}`]),
      ];
      const rows = await database.read((session) =>
        session.rows<JobRow>(`SELECT ${jobColumns} FROM job WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT ?`, [
          ...conditions.map(([, value]) => value),
          limit,
        ]),
      );
      return rows.map(toJob);
    },
    failures: async (id, limit) => {
      checkLimit(limit);
      const newest = await database.read((session) =>
        session.rows<JobFailure>(
          "SELECT attempt, at, error FROM job_failure WHERE job_id = ? ORDER BY id DESC LIMIT ?",
          [id, limit],
        ),
      );
      return newest.toReversed();
    },
    countByState: async () => {
      const rows = await database.read((session) =>
        session.rows<{ state: number; jobs: number }>("SELECT state, COUNT(*) AS jobs FROM job GROUP BY state"),
      );
      const counts: Record<JobState, number> = {
        ready: 0,
        scheduled: 0,
        running: 0,
        blocked: 0,
        done: 0,
        dead: 0,
        cancelled: 0,
      };
      for (const { state, jobs } of rows) counts[stateName(state)] = jobs;
      return counts;
    },
    cancel: (id, now) =>
      database.write(async (session) => {
        const [job] = await session.rows<Omit<EndingJob, "end"> & { state: number }>(
          `SELECT ${endingColumns}, state FROM job WHERE id = ?${dialect.forUpdate}`,
          [id],
        );
        if (job === undefined) return undefined;
        if (ended.has(job.state)) return (await letGo(session, job, now)) ? "cancelled" : undefined;
        if (job.state === jobStates.running) {
          await session.run("UPDATE job SET cancel_at = ? WHERE id = ? AND cancel_at IS NULL", [now, id]);
          return "requested";
        }
        // It is not the turn of a blocked one, so there is none to pass on.
        const inOrder = job.state === jobStates.blocked ? { order_key: null } : {};
        await writeEnds(database, session, [{ ...job, ...inOrder, end: { to: "cancelled" } }], now);
        return "cancelled";
      }),
    retry: (id, now) =>
      database.write(async (session) => {
        const [about] = await session.rows<{ event_ref: number | null }>("SELECT event_ref FROM job WHERE id = ?", [
          id,
        ]);
        // The event's row is the lock between this and a replay of the event. A job that is about none has
        // no such row, and a storage without the part `inbox` no such table.
        const [event] =
          about === undefined || about.event_ref === null
            ? []
            : await session.rows<{ body_dropped: number }>(
                `SELECT body_dropped FROM inbox_event WHERE id = ?${dialect.forUpdate}`,
                [about.event_ref],
              );
        const [job] = await session.rows<ReplacedRow & { state: number; replaced_by: number | null }>(
          `SELECT ${replacedColumns}, state, replaced_by FROM job WHERE id = ?${dialect.forUpdate}`,
          [id],
        );
        if (job?.state === jobStates.scheduled) {
          await runAtOnce(database, session, id, now);
          return id;
        }
        if (job === undefined || !givenUp.has(job.state) || job.replaced_by !== null || event?.body_dropped === 1)
          return undefined;
        return (await replaceJobs(database, session, [job], now))[0];
      }),
  };
};
