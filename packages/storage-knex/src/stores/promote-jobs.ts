import { jobStates } from "@postern/core/ports";
import { chunksOf, type Database, idsOf, readRows, type Session } from "../engine/database.ts";
import { rejoinLanes, rulesOf } from "./lanes.ts";

interface DueRow {
  readonly id: number;
  readonly due_at: number;
  readonly order_key: unknown;
  readonly order_rules: number;
}

const chunkSize = 1000;
/** Each job has a value of its own in the statement. */
const readyPerStatement = 100;

/**
 * Makes jobs ready in the order in which they came due. That order is the time of this transaction
 * plus their place among them.
 */
const makeReady = async (
  { dialect }: Database,
  session: Session,
  due: readonly DueRow[],
  now: number,
): Promise<number> => {
  const where = dialect.anyOf("id", idsOf(due));
  const time = dialect.microseconds();
  const times = [...new Set(due.map(({ due_at: dueAt }) => dueAt))];
  const place = times.length === 1 ? "0" : `CASE due_at ${times.map(() => "WHEN ? THEN ?").join(" ")} ELSE 0 END`;
  const places = times.length === 1 ? [] : times.flatMap((dueAt, index) => [dueAt, index]);
  // MySQL assigns from left to right, so `due_at` goes last.
  const { changed } = await session.run(
    `UPDATE job SET state = ${jobStates.ready}, ready_at = ?, ready_order = ${time.sql} + ${place}, due_at = NULL
      WHERE ${where.sql} AND state = ${jobStates.scheduled} AND due_at <= ?`,
    [now, ...time.values, ...places, ...where.values, now],
  );
  return changed;
};

/**
 * Moves due jobs, by primary key, as everywhere. Those that let others go ahead become the next in
 * line.
 */
const promote = async (database: Database, session: Session, due: readonly DueRow[], now: number): Promise<number> => {
  const passed = due.filter((job) => job.order_key !== null && rulesOf(job.order_rules).onRetry === "yield");
  let changed = 0;
  const others = due.filter((job) => !passed.includes(job));
  for (const chunk of chunksOf(others, readyPerStatement)) changed += await makeReady(database, session, chunk, now);
  const rejoined = await rejoinLanes(database, session, idsOf(passed), now);
  return changed + rejoined;
};

/** `JobQueue.promoteDue` */
export const promoteDueJobs = async (database: Database, now: number): Promise<number> => {
  let promoted = 0;
  for (;;) {
    // Search first, so that nothing is written when nothing is due.
    const due = await readRows<DueRow>(
      database,
      `SELECT id, due_at, order_key, order_rules FROM job
        WHERE state = ${jobStates.scheduled} AND due_at <= ? ORDER BY due_at LIMIT ${chunkSize}`,
      [now],
    );
    if (due.length === 0) return promoted;
    promoted += await database.write((session) => promote(database, session, due, now));
    if (due.length < chunkSize) return promoted;
  }
};
