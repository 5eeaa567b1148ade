import { bufferOf, keyText, type Session } from "../database.ts";
import type { Dialect } from "../dialect.ts";

const encoder = new TextEncoder();

/** The states of keys, as `gcra` takes them. */
export type Tats = ReadonlyMap<string, number>;

/** So many `?` in a row. */
const marks = (count: number): string => Array(count).fill("?").join(", ");

// Keys are bytes on every database, so that no collation treats two of them as equal.
export const keyBytes = (key: string): Uint8Array => bufferOf(encoder.encode(key));

/** The states of the keys that have a row. */
export const storedTats = async (session: Session, keys: readonly Uint8Array[], lock: string): Promise<Tats> => {
  const sql = `SELECT limit_key, tat FROM rate_limit WHERE limit_key IN (${marks(keys.length)})${lock}`;
  const rows = await session.rows<{ limit_key: Uint8Array | string; tat: number }>(sql, keys);
  return new Map(rows.map(({ limit_key: key, tat }) => [keyText(key), tat]));
};

/**
 * The states of the keys, whose rows stay locked until the end of the transaction. `exist` says that
 * all of them have a row.
 */
export const lockedTats = async (
  { forUpdate, insertUnlessTaken }: Dialect,
  session: Session,
  keys: readonly Uint8Array[],
  exist: boolean,
): Promise<Tats> => {
  const found = exist ? await storedTats(session, keys, forUpdate) : undefined;
  if (found?.size === keys.length) return found;
  // Makes sure that there are rows to lock.
  const insert = insertUnlessTaken("rate_limit", ["limit_key", "tat"], "limit_key", keys.length);
  await session.run(
    insert,
    keys.flatMap((key) => [key, 0]),
  );
  return storedTats(session, keys, forUpdate);
};

/** Sets the state of each key to its value, or adds the value to it. */
export const changeTats = async (session: Session, values: Tats, by: "" | "tat + "): Promise<void> => {
  const keys = [...values.keys()].map(keyBytes);
  const cases = [...values.values()].flatMap((value, index) => [keys[index] ?? "", value]);
  const sql = `UPDATE rate_limit SET tat = ${by}CASE limit_key ${"WHEN ? THEN ? ".repeat(keys.length)}END WHERE limit_key IN (${marks(keys.length)})`;
  await session.run(sql, [...cases, ...keys]);
};
