import { jobStates, type OrderRules } from "@postern/core/ports";
import {
  chunksOf,
  type Database,
  idsOf,
  inOrderOf,
  keyText,
  type Session,
  type Statement,
} from "../engine/database.ts";
import type { Dialect, LaneWish } from "../engine/dialect.ts";

/**
 * Jobs of one order key run one at a time, in the order of the commits that stored them. The key's
 * row in `lane` names the job that has the turn, its head, and counts the places in line. The other
 * jobs are blocked. A transaction that stores a job or ends a head locks that row first, so that
 * neither misses the other. The row is deleted with the last job of the key that is to run. Its
 * head is 0 if no job has the turn but some wait for their time (`onRetry: "yield"`).
 */

/** The values in `job.order_rules`, one or both. */
const yields = 1;
const holds = 2;

export const orderRules = ({ onRetry, onDead }: OrderRules): number =>
  (onRetry === "yield" ? yields : 0) + (onDead === "hold" ? holds : 0);

export const rulesOf = (rules: number): Required<OrderRules> => ({
  onRetry: (rules & yields) === 0 ? "keep" : "yield",
  onDead: (rules & holds) === 0 ? "release" : "hold",
});

/** A condition on `job`: it is dead and still has the turn. */
export const isHolding = `(job.state = ${jobStates.dead} AND job.order_key IS NOT NULL
  AND EXISTS (SELECT 1 FROM lane WHERE lane.order_key = job.order_key AND lane.head_job = job.id))`;

export interface InOrder {
  readonly id: number;
  readonly orderKey: string;
}

const { ready, scheduled, blocked } = jobStates;

/**
 * The assignments of an UPDATE for a job that gets the turn. It then waits for a runner, or for its
 * time.
 */
const unblockedAt = ({ microseconds }: Pick<Dialect, "microseconds">, now: number): Statement => {
  const time = microseconds();
  return {
    sql: `state = CASE WHEN due_at IS NULL THEN ${ready} ELSE ${scheduled} END, ready_at = ?, ready_order = ${time.sql}`,
    values: [now, ...time.values],
  };
};

const keyIn = ([key]: readonly [string, unknown]): string => key;

const anyKey = (keys: readonly string[]): string => `order_key IN (${keys.map(() => "?").join(", ")})`;

interface Lane {
  readonly head: number;
  readonly lastPlace: number;
}

/** Locks the lanes of these keys. Returns their state. */
const lockLanes = async (
  { dialect }: Database,
  session: Session,
  wishes: ReadonlyMap<string, Omit<LaneWish, "key">>,
): Promise<ReadonlyMap<string, Lane>> => {
  const lanes = new Map<string, Lane>();
  for (const chunk of chunksOf(inOrderOf(wishes, keyIn), 100)) {
    const rows = await dialect.lockLanes(
      session,
      chunk.map(([key, { first, places }]) => ({ key, first, places })),
    );
    for (const row of rows) lanes.set(keyText(row.order_key), { head: row.head_job, lastPlace: row.last_place });
  }
  return lanes;
};

/** A job's place in line, and whether it has the turn. */
export interface Standing {
  readonly place: number;
  readonly hasTurn: boolean;
}

/** Takes places for jobs that are being stored, in this order. Returns the place of each. */
export const joinLanes = async (
  database: Database,
  session: Session,
  jobs: readonly InOrder[],
): Promise<ReadonlyMap<number, Standing>> => {
  const lines = new Map<string, number[]>(jobs.map(({ orderKey }) => [orderKey, []]));
  for (const { id, orderKey } of jobs) lines.get(orderKey)?.push(id);
  const wishes = new Map([...lines].map(([key, [first = 0, ...rest]]) => [key, { first, places: 1 + rest.length }]));
  const lanes = await lockLanes(database, session, wishes);
  const standings = new Map<number, Standing>();
  for (const [key, ids] of lines) {
    const { head = 0, lastPlace = 0 } = lanes.get(key) ?? {};
    ids.forEach((id, index) => {
      standings.set(id, { place: lastPlace - ids.length + 1 + index, hasTurn: id === head });
    });
  }
  return standings;
};

/**
 * Puts jobs back in line whose time has come, after others of their key went ahead. The jobs are
 * scheduled, and this transaction has locked their rows. They get their old places back. If one of
 * them has the turn, it keeps it. If the turn is free, the first of them gets it.
 */
export const rejoinLanes = async (
  database: Database,
  session: Session,
  ids: readonly number[],
  now: number,
): Promise<number> => {
  if (ids.length === 0) return 0;
  const { dialect } = database;
  const where = dialect.anyOf("id", ids);
  const { changed } = await session.run(
    `UPDATE job SET state = ${blocked}, due_at = NULL WHERE ${where.sql} AND state = ${scheduled}`,
    where.values,
  );
  // A job that was cancelled or run meanwhile needs no place.
  const waiting = await session.rows<{ id: number; order_key: string | Uint8Array }>(
    `SELECT id, order_key FROM job WHERE ${where.sql} AND state = ${blocked} ORDER BY place, id`,
    where.values,
  );
  const wishes = new Map<string, Omit<LaneWish, "key">>();
  for (const { id, order_key: key } of waiting) {
    if (!wishes.has(keyText(key))) wishes.set(keyText(key), { first: id, places: 0 });
  }
  const lanes = await lockLanes(database, session, wishes);
  // The head need not be the first of them: another may have got the turn while it waited for its
  // time.
  const rejoined = new Set(idsOf(waiting));
  const heads = [...lanes.values()].map(({ head }) => head).filter((head) => rejoined.has(head));
  if (heads.length > 0) {
    const first = dialect.anyOf("id", heads);
    const unblocked = unblockedAt(dialect, now);
    await session.run(`UPDATE job SET ${unblocked.sql} WHERE ${first.sql} AND state = ${blocked}`, [
      ...unblocked.values,
      ...first.values,
    ]);
  }
  return changed;
};

/** If these jobs have turns, gives those turns to the next jobs in line. */
export const passTurns = async (
  { dialect }: Database,
  session: Session,
  jobs: readonly InOrder[],
  now: number,
): Promise<void> => {
  const leaving = new Set(idsOf(jobs));
  const keys = [...new Set(jobs.map(({ orderKey }) => orderKey))].toSorted();
  for (const chunk of chunksOf(keys, 100)) {
    const lanes = await session.rows<{ order_key: string | Uint8Array; head_job: number }>(
      `SELECT order_key, head_job FROM lane WHERE ${anyKey(chunk)} ORDER BY order_key${dialect.forUpdate}`,
      chunk,
    );
    // A lane without a head may have waited only for this job.
    const left = lanes.filter(({ head_job: head }) => head === 0 || leaving.has(head));
    const waiting = left.map(({ order_key: key }) => keyText(key));
    await passAll(dialect, session, waiting, now);
  }
};

/** Gives a new job the place of a dead job that held the turn of its key. */
export const takeOverTurn = async (
  { dialect }: Pick<Database, "dialect">,
  session: Session,
  { id, orderKey }: InOrder,
  { old, place, now }: { readonly old: number; readonly place: number | null; readonly now: number },
): Promise<void> => {
  const lane = "UPDATE lane SET head_job = ? WHERE order_key = ? AND head_job = ?";
  const { changed } = await session.run(lane, [id, orderKey, old]);
  if (changed === 0) return;
  const unblocked = unblockedAt(dialect, now);
  await session.run(`UPDATE job SET ${unblocked.sql}, place = COALESCE(?, place) WHERE id = ? AND state = ${blocked}`, [
    ...unblocked.values,
    place,
    id,
  ]);
};

/** A condition on `head`: the job may have the turn. */
const mayHaveTurn = `(head.state IN (${ready}, ${scheduled}, ${jobStates.running})
  OR (head.state = ${jobStates.dead} AND head.order_rules >= ${holds}))`;
const nobodysTurn = (key: string): string =>
  `NOT EXISTS (SELECT 1 FROM lane JOIN job AS head ON head.id = lane.head_job WHERE lane.order_key = ${key} AND ${mayHaveTurn})`;
const mostRepairs = 1000;

/** Finds keys whose jobs wait while no job has the turn. */
const findStuck = async (session: Session): Promise<readonly string[]> => {
  const rows = await session.rows<{ order_key: string | Uint8Array }>(
    `SELECT order_key FROM (SELECT order_key FROM job WHERE state = ${blocked} GROUP BY order_key) AS line
      WHERE ${nobodysTurn("line.order_key")} LIMIT ${mostRepairs}`,
  );
  return rows.map(({ order_key: key }) => keyText(key)).toSorted();
};

/**
 * For keys in which no job has the turn, gives it to the next job in line. Returns the number of
 * such keys. It writes nothing if there are none.
 */
export const repairTurns = async (database: Database, now: number): Promise<number> => {
  const { dialect } = database;
  const stuck = await database.read(findStuck);
  let repaired = 0;
  for (const key of stuck) {
    repaired += await database.write(async (session) => {
      const [line] = await session.rows<{ last: number | null }>(
        "SELECT MAX(place) AS last FROM job WHERE order_key = ?",
        [key],
      );
      const insert = dialect.insertUnlessTaken("lane", ["order_key", "head_job", "last_place"], "order_key");
      await session.run(insert, [key, 0, line?.last ?? 0]);
      // Check again, now that this transaction has locked the row.
      const again = `SELECT order_key FROM lane WHERE order_key = ? AND ${nobodysTurn("?")}`;
      const still = await session.rows(again, [key, key]);
      if (still.length === 0) return 0;
      await passAll(dialect, session, [key], now);
      return 1;
    });
  }
  return repaired;
};

const passAll = async (dialect: Dialect, session: Session, keys: readonly string[], now: number): Promise<void> => {
  for (let waiting = keys; waiting.length > 0; ) waiting = await passTo(dialect, session, waiting, now);
};

/** Tries once for each key. Returns the keys whose next job was cancelled at this very moment. */
const passTo = async (
  dialect: Dialect,
  session: Session,
  keys: readonly string[],
  now: number,
): Promise<readonly string[]> => {
  const found = await session.rows<{ order_key: string | Uint8Array; id: number }>(
    `SELECT job.order_key, job.id FROM job JOIN (
        SELECT order_key, MIN(place) AS place FROM job
         WHERE ${anyKey(keys)} AND state = ${blocked} AND place IS NOT NULL GROUP BY order_key
      ) AS next ON next.order_key = job.order_key AND next.place = job.place
      WHERE job.state = ${blocked}`,
    keys,
  );
  const nexts = new Map(found.map(({ order_key: key, id }) => [keyText(key), id]));
  const where = dialect.anyOf("id", [...nexts.values()]);
  const lock = `SELECT id FROM job WHERE ${where.sql} AND state = ${blocked} ORDER BY id${dialect.forUpdate}`;
  const locked = new Set(nexts.size === 0 ? [] : idsOf(await session.rows<{ id: number }>(lock, where.values)));
  const passed = inOrderOf(nexts, keyIn).filter(([, next]) => locked.has(next));
  if (passed.length > 0) {
    const heads = dialect.anyOf("id", [...locked]);
    const unblocked = unblockedAt(dialect, now);
    await session.run(`UPDATE job SET ${unblocked.sql} WHERE ${heads.sql}`, [...unblocked.values, ...heads.values]);
    for (const [key, next] of passed)
      await session.run("UPDATE lane SET head_job = ? WHERE order_key = ?", [next, key]);
  }
  await leaveEmpty(
    session,
    keys.filter((key) => !nexts.has(key)),
  );
  return [...nexts].filter(([, next]) => !locked.has(next)).map(([key]) => key);
};

/**
 * Deletes the rows of lanes in which no job is blocked. A row stays if a job that let others go
 * ahead will come back to its place.
 */
const leaveEmpty = async (session: Session, keys: readonly string[]): Promise<void> => {
  if (keys.length === 0) return;
  const yielded = await session.rows<{ order_key: string | Uint8Array }>(
    `SELECT DISTINCT order_key FROM job WHERE ${anyKey(keys)} AND state = ${scheduled} AND order_key IS NOT NULL`,
    keys,
  );
  const kept = new Set(yielded.map(({ order_key: key }) => keyText(key)));
  const gone = keys.filter((key) => !kept.has(key));
  if (kept.size > 0) await session.run(`UPDATE lane SET head_job = 0 WHERE ${anyKey([...kept])}`, [...kept]);
  if (gone.length > 0) await session.run(`DELETE FROM lane WHERE ${anyKey(gone)}`, gone);
};
