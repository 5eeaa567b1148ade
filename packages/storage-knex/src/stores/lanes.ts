import { jobStates, type OrderRules } from "@postern/core";
import { chunksOf, type Database, keyText, placeholders, type Session } from "../database.ts";

/**
 * Jobs of one order key run one at a time, in the order they were stored. The key's row in `lane` names the job whose turn it is, its head; the
 * others are blocked. Whoever stores a job or ends a head locks that row first, so that neither misses the other.
 */

/** As they stand in `job.order_rules`, one or both. */
const yields = 1;
const holds = 2;

export const orderRules = ({ onRetry, onDead }: OrderRules): number =>
  (onRetry === "yield" ? yields : 0) + (onDead === "hold" ? holds : 0);

/** Whether a job keeps its turn while it waits for a retry, and when it is dead. */
export const keepsTurn = (rules: number): boolean => (rules & yields) === 0;
export const holdsTurn = (rules: number): boolean => (rules & holds) !== 0;

/** As a condition on `job`: it is dead and has the turn all the same. */
export const isHolding = `(job.state = ${jobStates.dead} AND job.order_key IS NOT NULL
  AND EXISTS (SELECT 1 FROM lane WHERE lane.order_key = job.order_key AND lane.head_job = job.id))`;

interface InOrder {
  readonly id: number;
  readonly orderKey?: string;
}

const { ready, scheduled, blocked } = jobStates;

/** Blocked no more, from a time on: waits for a runner, or for its time. */
const unblocked = `state = CASE WHEN due_at IS NULL THEN ${ready} ELSE ${scheduled} END, ready_at = ?`;

const byKey = ([left]: readonly [string, number], [right]: readonly [string, number]): number =>
  left < right ? -1 : 1;

const anyKey = (keys: readonly string[]): string => `order_key IN (${keys.map(() => "?").join(", ")})`;

/** Lines up jobs that have been stored as blocked: the first of a key that is free becomes its head. */
export const joinLanes = async (
  { dialect }: Database,
  session: Session,
  jobs: readonly InOrder[],
  now: number,
): Promise<void> => {
  const firsts = new Map<string, number>();
  for (const { id, orderKey = "" } of jobs) firsts.set(orderKey, Math.min(id, firsts.get(orderKey) ?? id));
  const joining = new Set(jobs.map(({ id }) => id));
  // In one order everywhere, so that two who want the same keys wait for each other instead of deadlocking.
  for (const chunk of chunksOf([...firsts].toSorted(byKey), 100)) {
    await session.run(
      dialect.insertUnlessTaken("lane", ["order_key", "head_job"], "order_key", chunk.length),
      chunk.flat(),
    );
    const keys = chunk.map(([key]) => key);
    const lanes = await session.rows<{ head_job: number }>(`SELECT head_job FROM lane WHERE ${anyKey(keys)}`, keys);
    const heads = lanes.map(({ head_job: head }) => head).filter((head) => joining.has(head));
    const where = dialect.anyOf("id", heads);
    if (heads.length > 0) {
      const values = [now, ...where.values];
      await session.run(`UPDATE job SET ${unblocked} WHERE ${where.sql} AND state = ${blocked}`, values);
    }
  }
};

/**
 * Jobs whose time has come after others of their key went ahead: their row says scheduled, and is ours. They line up again; whoever finds the turn free
 * has it.
 */
export const rejoinLanes = async (
  database: Database,
  session: Session,
  ids: readonly number[],
  now: number,
): Promise<number> => {
  if (ids.length === 0) return 0;
  const where = database.dialect.anyOf("id", ids);
  const { changed } = await session.run(
    `UPDATE job SET state = ${blocked}, due_at = NULL WHERE ${where.sql} AND state = ${scheduled}`,
    where.values,
  );
  // One that somebody has cancelled or run meanwhile has nothing to line up for.
  const waiting = await session.rows<{ id: number; order_key: string | Uint8Array }>(
    `SELECT id, order_key FROM job WHERE ${where.sql} AND state = ${blocked}`,
    where.values,
  );
  const inOrder = waiting.map(({ id, order_key: key }) => ({ id, orderKey: keyText(key) }));
  if (inOrder.length > 0) await joinLanes(database, session, inOrder, now);
  return changed;
};

/** Gives the turns of these jobs, as far as it is theirs, to the next in line of their keys. */
export const passTurns = async (
  { dialect }: Database,
  session: Session,
  jobs: readonly InOrder[],
  now: number,
): Promise<void> => {
  const leaving = new Set(jobs.map(({ id }) => id));
  const keys = [...new Set(jobs.flatMap(({ orderKey }) => orderKey ?? []))].toSorted();
  for (const chunk of chunksOf(keys, 100)) {
    const lanes = await session.rows<{ order_key: string | Uint8Array; head_job: number }>(
      `SELECT order_key, head_job FROM lane WHERE ${anyKey(chunk)} ORDER BY order_key${dialect.forUpdate}`,
      chunk,
    );
    let waiting: readonly string[] = lanes
      .filter(({ head_job: head }) => leaving.has(head))
      .map(({ order_key: key }) => keyText(key));
    while (waiting.length > 0) waiting = await passTo(dialect, session, waiting, now);
  }
};

/** Puts a new job in the place of a dead one that held its key's turn. */
export const takeOverTurn = async (
  session: Session,
  orderKey: string,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
): Promise<void> => {
  const { changed } = await session.run("UPDATE lane SET head_job = ? WHERE order_key = ? AND head_job = ?", [
    to,
    orderKey,
    from,
  ]);
  if (changed > 0) await session.run(`UPDATE job SET ${unblocked} WHERE id = ? AND state = ${blocked}`, [now, to]);
};

/** As a condition on `head`: a job that has the turn with good reason. */
const mayHaveTurn = `(head.state IN (${ready}, ${scheduled}, ${jobStates.running})
  OR (head.state = ${jobStates.dead} AND head.order_rules >= ${holds}))`;
const nobodysTurn = (key: string): string =>
  `NOT EXISTS (SELECT 1 FROM lane JOIN job AS head ON head.id = lane.head_job WHERE lane.order_key = ${key} AND ${mayHaveTurn})`;
const mostRepairs = 1000;

/** Keys in whose line jobs wait while nobody has the turn. */
const findStuck = async (session: Session): Promise<readonly string[]> => {
  const rows = await session.rows<{ order_key: string | Uint8Array }>(
    `SELECT order_key FROM (SELECT order_key FROM job WHERE state = ${blocked} GROUP BY order_key) AS line
      WHERE ${nobodysTurn("line.order_key")} LIMIT ${mostRepairs}`,
  );
  return rows.map(({ order_key: key }) => keyText(key)).toSorted();
};

/** Gives turns that are nobody's to the next in line; how many. Nothing is written where all is well. */
export const repairTurns = async (database: Database, now: number): Promise<number> => {
  const { dialect } = database;
  const stuck = await database.read(findStuck);
  let repaired = 0;
  for (const key of stuck) {
    repaired += await database.write(async (session) => {
      await session.run(dialect.insertUnlessTaken("lane", ["order_key", "head_job"], "order_key"), [key, 0]);
      // Once more, now that the row is ours.
      const still = await session.rows(`SELECT order_key FROM lane WHERE order_key = ? AND ${nobodysTurn("?")}`, [
        key,
        key,
      ]);
      if (still.length === 0) return 0;
      let waiting: readonly string[] = [key];
      while (waiting.length > 0) waiting = await passTo(dialect, session, waiting, now);
      return 1;
    });
  }
  return repaired;
};

/** One try for each key; the keys whose next in line was cancelled this very moment. */
const passTo = async (
  dialect: Database["dialect"],
  session: Session,
  keys: readonly string[],
  now: number,
): Promise<readonly string[]> => {
  const found = await session.rows<{ order_key: string | Uint8Array; next: number }>(
    `SELECT order_key, MIN(id) AS next FROM job WHERE ${anyKey(keys)} AND state = ${blocked} GROUP BY order_key`,
    keys,
  );
  const nexts = new Map(found.map(({ order_key: key, next }) => [keyText(key), next]));
  const where = dialect.anyOf("id", [...nexts.values()]);
  const locked = new Set(
    nexts.size === 0
      ? []
      : (
          await session.rows<{ id: number }>(
            `SELECT id FROM job WHERE ${where.sql} AND state = ${blocked} ORDER BY id${dialect.forUpdate}`,
            where.values,
          )
        ).map(({ id }) => id),
  );
  const passed = [...nexts].filter(([, next]) => locked.has(next)).toSorted(byKey);
  const empty = keys.filter((key) => !nexts.has(key));
  if (passed.length > 0) {
    const heads = dialect.anyOf(
      "id",
      passed.map(([, next]) => next),
    );
    await session.run(`UPDATE job SET ${unblocked} WHERE ${heads.sql}`, [now, ...heads.values]);
    for (const [key, next] of passed)
      await session.run("UPDATE lane SET head_job = ? WHERE order_key = ?", [next, key]);
  }
  if (empty.length > 0)
    await session.run(`DELETE FROM lane WHERE order_key IN ${placeholders(1, empty.length)}`, empty);
  return [...nexts].filter(([, next]) => !locked.has(next)).map(([key]) => key);
};
