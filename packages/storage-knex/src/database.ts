import type { Dialect } from "./dialect.ts";

/** What may reach a statement. Nothing else does: no `undefined`, no NaN, no object that a driver would spell in its own way. */
export type Value = string | number | null | Uint8Array;

/** SQL text with `?` in the place of each value. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

export interface Change {
  /** Rows the statement matched and wrote. */
  readonly changed: number;
  /** The number the statement reserved by `LAST_INSERT_ID`, on MySQL. */
  readonly insertId: number;
}

/** One connection, for as long as a read or a transaction lasts. Failures come out translated: see `translate-error.ts`. */
export interface Session {
  /** The rows of a statement. `Row` states the columns it selects. */
  rows<Row extends object>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  run(sql: string, values?: readonly Value[]): Promise<Change>;
  /**
   * Inserts a row by the end of the transaction, perhaps by one statement with the rows of others; only in a write. For tables whose rows nothing in the transaction
   * looks for, and which refuse none: it would be heard of too late.
   */
  append(row: AppendedRow): Promise<void>;
}

/** A row that is only ever added. */
export interface AppendedRow {
  readonly table: string;
  readonly columns: readonly string[];
  readonly values: readonly Value[];
}

/** Numbers for rows, known before they are inserted. */
export interface IdSource {
  /** The first of `count` numbers in a row that nobody else gets. */
  take(sequence: IdSequence, count: number): Promise<number>;
  /** The same for whoever is in a write already, where waiting for another write would never end. */
  takeWithin(session: Session, sequence: IdSequence, count: number): Promise<number>;
}

export type IdSequence = "event" | "job" | "lease" | "runner";

/** Where the stores run their statements: on connections of their own, or all within one transaction. */
export interface Database {
  readonly dialect: Dialect;
  readonly ids: IdSource;
  /** Outside a transaction a read never waits for writes, and sees what was committed when each statement began. */
  read<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /**
   * The rows of one SELECT whose columns have these names and hold no bytes. Like `read`, but reads that are asked for in the same moment may be
   * answered together.
   */
  select<Row extends object>(statement: Statement, columns: readonly string[]): Promise<Row[]>;
  /** All of `work` in one transaction; on disk when it resolves. `work` may be run again from its start. */
  write<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
}

/** The database as the stores of one transaction see it: every read and write belongs to it. */
export const within = (session: Session, dialect: Dialect, ids: IdSource): Database => ({
  dialect,
  ids,
  read: (work) => work(session),
  select: ({ sql, values }) => session.rows(sql, values),
  write: (work) => work(session),
});

/** @throws TypeError for a value that a database would refuse or, worse, understand. */
export const checkValues = (values: readonly Value[]): void => {
  for (const value of values) {
    if (typeof value === "string" || value === null || value instanceof Uint8Array) continue;
    if (typeof value === "number" && Number.isFinite(value)) continue;
    throw new TypeError(`a ${typeof value} cannot be stored`);
  }
};

/** The drivers tell bytes from other objects by Node's own class. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A key column as text: MySQL keeps keys as bytes, so that no collation takes two for one. */
export const keyText = (value: string | Uint8Array): string =>
  typeof value === "string" ? value : Buffer.from(value).toString();

/** @throws TypeError unless `limit` is a whole number from 1 to 1,000. */
export const checkLimit = (limit: number): void => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return;
  throw new TypeError(`a limit is a whole number from 1 to 1,000, not ${limit}`);
};

/** `items` in pieces of at most `size`. */
export const chunksOf = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** `(?, ?), (?, ?)` for that many rows and columns. */
export const placeholders = (rows: number, columns: number): string =>
  Array(rows)
    .fill(`(${Array(columns).fill("?").join(", ")})`)
    .join(", ");

export const quoted = (columns: readonly string[]): string => columns.map((column) => `\`${column}\``).join(", ");
