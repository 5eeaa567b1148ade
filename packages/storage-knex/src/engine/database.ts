import type { Dialect } from "./dialect.ts";
import type { IdSource, Session, Sessions, Statement, Value } from "./session.ts";

export {
  type AppendedRow,
  type Change,
  type IdSource,
  type OwnQuery,
  type RunOptions,
  refusable,
  type Session,
  type Statement,
  type Value,
} from "./session.ts";

/**
 * Runs the statements of the stores: on connections of their own, or all within one transaction.
 */
export interface Database extends Sessions {
  readonly dialect: Dialect;
  readonly ids: IdSource;
  /**
   * The rows of one SELECT whose columns have these names and hold no bytes. Like `read`, but one
   * statement may answer several reads that arrive in the same moment.
   */
  select<Row extends object>(statement: Statement, columns: readonly string[]): Promise<Row[]>;
  /**
   * The row of a SELECT that finds at most one, by a key; `undefined` for none. It has no `ORDER BY`
   * and no `LIMIT`.
   */
  selectOne<Row extends object>(statement: Statement, columns: readonly string[]): Promise<Row | undefined>;
}

/** The row of a `select` that finds at most one. */
export const firstOf =
  (select: Database["select"]): Database["selectOne"] =>
  async <Row extends object>(statement: Statement, columns: readonly string[]): Promise<Row | undefined> => {
    const [row] = await select<Row>(statement, columns);
    return row;
  };

/** The database as the stores of one transaction see it: every read and write belongs to it. */
export const within = (session: Session, dialect: Dialect, ids: IdSource): Database => {
  const select: Database["select"] = ({ sql, values }) => session.rows(sql, values);
  return {
    dialect,
    ids,
    read: (work) => work(session),
    select,
    selectOne: firstOf(select),
    write: (work) => work(session),
  };
};

/** The rows of a statement, in a read of its own. `Row` states the columns it selects. */
export const readRows = <Row extends object>(
  { read }: Pick<Database, "read">,
  sql: string,
  values?: readonly Value[],
): Promise<Row[]> => read((session) => session.rows<Row>(sql, values));

/** @throws TypeError for a value that a database would refuse or, worse, misinterpret. */
export const checkValues = (values: readonly Value[]): void => {
  for (const value of values) {
    if (typeof value === "string" || value === null || value instanceof Uint8Array) continue;
    if (typeof value === "number" && Number.isFinite(value)) continue;
    throw new TypeError(`a ${typeof value} cannot be stored`);
  }
};

/** The drivers recognise bytes by Node's own class. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * A key column as text. MySQL stores keys as bytes, so that no collation treats two keys as equal.
 */
export const keyText = (value: string | Uint8Array): string =>
  typeof value === "string" ? value : Buffer.from(value).toString();

/** A key as it is stored: in bytes on every database, so that no collation treats two keys as equal. */
export const keyBytes = (key: string): Buffer => Buffer.from(key);

/** The columns of a row that are members of a value, with NULL in the place of `undefined`. */
export type InRow<Members> = {
  readonly [Name in keyof Members]: undefined extends Members[Name]
    ? Exclude<Members[Name], undefined> | null
    : Members[Name];
};

/** Puts `undefined` in the place of NULL, in the row itself: lists have many rows. */
export const withoutNulls = <Row extends object>(row: Row): WithoutNulls<Row> => {
  const members = row as Record<string, unknown>;
  for (const name in members) if (members[name] === null) members[name] = undefined;
  return members as WithoutNulls<Row>;
};

type WithoutNulls<Row> = {
  [Name in keyof Row]: null extends Row[Name] ? Exclude<Row[Name], null> | undefined : Row[Name];
};

/** @throws TypeError unless `limit` is a whole number from 1 to 1,000. */
export const checkLimit = (limit: number): void => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return;
  throw new TypeError(`a limit is a whole number from 1 to 1,000, not ${limit}`);
};

/** `items` in pieces of at most `size`. */
export const chunksOf = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] => {
  const chunks: (readonly Item[])[] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
};

/**
 * Items by a text. Transactions that change the same rows in this order wait for each other instead of
 * deadlocking.
 */
export const inOrderOf = <Item>(items: Iterable<Item>, textOf: (item: Item) => string): readonly Item[] =>
  Array.from(items, (item) => ({ item, text: textOf(item) }))
    .toSorted(({ text: left }, { text: right }) => (left < right ? -1 : left > right ? 1 : 0))
    .map(({ item }) => item);

export const idsOf = <Id>(rows: readonly { readonly id: Id }[]): readonly Id[] => rows.map(({ id }) => id);

/** `(?, ?), (?, ?)` for that many rows and columns. */
export const placeholders = (rows: number, columns: number): string =>
  Array(rows)
    .fill(`(${Array(columns).fill("?").join(", ")})`)
    .join(", ");

export const quoted = (columns: readonly string[]): string => `\`${columns.join("`, `")}\``;
