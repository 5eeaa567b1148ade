import { jobStates } from "@postern/core";
import { chunksOf, type Database, keyText, placeholders, type Session } from "../database.ts";

/**
 * Jobs of one order key run one at a time, in the order they were stored. The key's row in `lane` names the job whose turn it is, its head; the
 * others are blocked. Whoever stores a job or ends a head locks that row first, so that neither misses the other.
 */

interface InOrder {
  readonly id: number;
  readonly orderKey?: string;
}

const { ready, scheduled, blocked } = jobStates;

/** Blocked no more: waits for a runner, or for its time. */
const unblocked = `state = CASE WHEN due_at IS NULL THEN ${ready} ELSE ${scheduled} END`;

const byKey = ([left]: readonly [string, number], [right]: readonly [string, number]): number =>
  left < right ? -1 : 1;

const anyKey = (keys: readonly string[]): string => `order_key IN (${keys.map(() => "?").join(", ")})`;

/** Lines up jobs that have been stored as blocked: the first of a key that is free becomes its head. */
export const joinLanes = async ({ dialect }: Database, session: Session, jobs: readonly InOrder[]): Promise<void> => {
  const firsts = new Map<string, number>();
  for (const { id, orderKey = "" } of jobs) firsts.set(orderKey, Math.min(id, firsts.get(orderKey) ?? id));
  // In one order everywhere, so that two who want the same keys wait for each other instead of deadlocking.
  for (const chunk of chunksOf([...firsts].toSorted(byKey), 100)) {
    await session.run(
      dialect.insertUnlessTaken("lane", ["order_key", "head_job"], "order_key", chunk.length),
      chunk.flat(),
    );
    const keys = chunk.map(([key]) => key);
    const lanes = await session.rows<{ order_key: string | Uint8Array; head_job: number }>(
      `SELECT order_key, head_job FROM lane WHERE ${anyKey(keys)}`,
      keys,
    );
    const heads = lanes.filter(({ order_key: key, head_job: head }) => firsts.get(keyText(key)) === head);
    const where = dialect.anyOf(
      "id",
      heads.map(({ head_job: head }) => head),
    );
    if (heads.length > 0) await session.run(`UPDATE job SET ${unblocked} WHERE ${where.sql}`, where.values);
  }
};

/** Gives each key's turn to the next in line, now that the job which had it has ended. */
export const passTurns = async ({ dialect }: Database, session: Session, ended: readonly InOrder[]): Promise<void> => {
  const keys = [...new Set(ended.flatMap(({ orderKey }) => orderKey ?? []))].toSorted();
  for (const chunk of chunksOf(keys, 100)) {
    await session.rows(
      `SELECT order_key FROM lane WHERE ${anyKey(chunk)} ORDER BY order_key${dialect.forUpdate}`,
      chunk,
    );
    let waiting: readonly string[] = chunk;
    while (waiting.length > 0) waiting = await passTo(dialect, session, waiting);
  }
};

/** One try for each key; the keys whose next in line was cancelled this very moment. */
const passTo = async (
  dialect: Database["dialect"],
  session: Session,
  keys: readonly string[],
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
    await session.run(`UPDATE job SET ${unblocked} WHERE ${heads.sql}`, heads.values);
    for (const [key, next] of passed)
      await session.run("UPDATE lane SET head_job = ? WHERE order_key = ?", [next, key]);
  }
  if (empty.length > 0)
    await session.run(`DELETE FROM lane WHERE order_key IN ${placeholders(1, empty.length)}`, empty);
  return [...nexts].filter(([, next]) => !locked.has(next)).map(([key]) => key);
};
