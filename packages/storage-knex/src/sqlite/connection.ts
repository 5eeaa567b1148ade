import type { Database as SqliteHandle, Statement as SqliteStatement } from "sqlite3";
import {
  type AppendedRow,
  bufferOf,
  type Change,
  checkValues,
  chunksOf,
  placeholders,
  quoted,
  type Session,
  type Value,
} from "../database.ts";
import { lengthOf } from "../given-bytes.ts";
import { queryTooSlow, translate, vendorErrorOf } from "../translate-error.ts";
import { sqliteErrors } from "./errors.ts";

export type { SqliteHandle };

export interface SqliteSettings {
  /**
   * FULL: commits survive a power cut. NORMAL: a power cut may lose the commits of the last
   * moments, but a crash of the process loses none.
   */
  readonly synchronous: "FULL" | "NORMAL";
  /**
   * Keeps in memory what SQLite needs to undo a statement that fails halfway. Otherwise a statement
   * that changes more than 64 kB writes the old pages to a file. That was a third of all bytes
   * written for events. Sorting then also happens in memory, so set it only if each statement
   * changes few rows.
   */
  readonly undoInMemory?: boolean;
  /** How long a statement waits while another process writes, in milliseconds. Default: 2,000. */
  readonly busyMs?: number;
}

/**
 * Most prepared statements that a connection keeps. Beyond it, the one that was used the longest
 * ago is dropped.
 */
const maxPrepared = 256;
const prepared = new WeakMap<SqliteHandle, Map<string, SqliteStatement>>();

/** Runs one statement of our own. */
export const execute = async (
  connection: SqliteHandle,
  sql: string,
  values: readonly unknown[] = [],
): Promise<void> => {
  const statement = keptStatement(connection, sql) ?? (await prepareStatement(connection, sql));
  await new Promise<void>((resolve, reject) =>
    statement.run(values, (error) => (error === null ? resolve() : reject(error))),
  );
};

const query = async <Row>(connection: SqliteHandle, sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
  const statement = keptStatement(connection, sql) ?? (await prepareStatement(connection, sql));
  return new Promise((resolve, reject) =>
    statement.all<Row>(values, (error, rows) => (error === null ? resolve(rows) : reject(error))),
  );
};

const changeBy = async (connection: SqliteHandle, sql: string, values: readonly unknown[]): Promise<Change> => {
  const statement = keptStatement(connection, sql) ?? (await prepareStatement(connection, sql));
  return new Promise((resolve, reject) =>
    statement.run(values, function (error) {
      if (error === null) resolve({ changed: this.changes, insertId: this.lastID });
      else reject(error);
    }),
  );
};

/**
 * Like `query`, but interrupts the statement after `limitMs`. At that time the statement may still
 * wait for one of SQLite's threads, where an interrupt does not reach it. So it is interrupted
 * again and again.
 */
const queryWithin = async <Row>(
  connection: SqliteHandle,
  sql: string,
  values: readonly unknown[],
  limitMs: number,
): Promise<Row[]> => {
  let isLate = false;
  const timer = setInterval(() => {
    isLate = true;
    connection.interrupt();
  }, limitMs);
  try {
    return await query(connection, sql, values);
  } catch (thrown) {
    throw isLate && vendorErrorOf(thrown).code === "SQLITE_INTERRUPT" ? queryTooSlow(limitMs, thrown) : thrown;
  } finally {
    clearInterval(timer);
  }
};

const statementsOf = (connection: SqliteHandle): Map<string, SqliteStatement> => {
  const kept = prepared.get(connection) ?? new Map<string, SqliteStatement>();
  prepared.set(connection, kept);
  return kept;
};

/**
 * A statement that is prepared already. Nearly all are, and then nobody has to wait for a promise.
 */
const keptStatement = (connection: SqliteHandle, sql: string): SqliteStatement | undefined => {
  const kept = statementsOf(connection);
  const known = kept.get(sql);
  // The order matters only when there will soon be too many.
  if (known !== undefined && kept.size > maxPrepared / 2) {
    kept.delete(sql);
    kept.set(sql, known);
  }
  return known;
};

const prepareStatement = async (connection: SqliteHandle, sql: string): Promise<SqliteStatement> => {
  const made = await new Promise<SqliteStatement>((resolve, reject) => {
    const statement = connection.prepare(sql, (error) => (error === null ? resolve(statement) : reject(error)));
  });
  const kept = statementsOf(connection);
  kept.set(sql, made);
  for (const [oldest, statement] of kept) {
    if (kept.size <= maxPrepared) break;
    kept.delete(oldest);
    statement.finalize();
  }
  return made;
};

/** Finalizes the prepared statements. A connection that has any cannot be closed. */
export const forgetStatements = async (connection: SqliteHandle): Promise<void> => {
  const kept = [...(prepared.get(connection)?.values() ?? [])];
  prepared.delete(connection);
  await Promise.all(kept.map((statement) => new Promise<void>((resolve) => statement.finalize(() => resolve()))));
};

/**
 * Makes the settings that SQLite keeps for each connection and not in the file. (The journal mode
 * is in the file.)
 */
export const prepareConnection = async (
  connection: SqliteHandle,
  { synchronous, undoInMemory = false, busyMs = 2_000 }: SqliteSettings,
): Promise<void> => {
  await query(connection, `PRAGMA busy_timeout = ${busyMs}`);
  await useWal(connection);
  await query(connection, `PRAGMA synchronous = ${synchronous}`);
  await query(connection, "PRAGMA foreign_keys = ON");
  await query(connection, "PRAGMA wal_autocheckpoint = 4000");
  if (undoInMemory) await query(connection, "PRAGMA temp_store = MEMORY");
};

/**
 * Copies the write-ahead log into the database file, up to the oldest state that is still read, and
 * flushes both. It waits for nobody. If another checkpoint is under way, it does nothing.
 */
export const checkpoint = async (connection: SqliteHandle): Promise<void> => {
  await query(connection, "PRAGMA wal_checkpoint(PASSIVE)");
};

/**
 * Sets WAL mode, and tries again if the file is locked. The busy timeout does not wait for this
 * lock, which two processes can meet if both set WAL mode on the same new file.
 */
const useWal = async (connection: SqliteHandle, tries = 50): Promise<void> => {
  try {
    const [row] = await query<{ journal_mode: string }>(connection, "PRAGMA journal_mode = WAL");
    if (row?.journal_mode !== "wal") {
      throw new TypeError(
        `this file system cannot keep a SQLite database in WAL mode (it stays "${row?.journal_mode}")`,
      );
    }
  } catch (thrown) {
    if (vendorErrorOf(thrown).code !== "SQLITE_BUSY" || tries <= 1) throw thrown;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await useWal(connection, tries - 1);
  }
};

/** Errors after which SQLite undoes only the statement, not the transaction. */
const statementErrors = new Set([
  "SQLITE_ERROR",
  "SQLITE_CONSTRAINT",
  "SQLITE_MISMATCH",
  "SQLITE_RANGE",
  "SQLITE_TOOBIG",
]);

/** @throws TypeError like `checkValues`. */
const boundValues = (values: readonly Value[]): readonly unknown[] => {
  checkValues(values);
  return values.some((value) => value instanceof Uint8Array)
    ? values.map((value) => (value instanceof Uint8Array ? bufferOf(value) : value))
    : values;
};

/**
 * A session on a connection. Each write has one, so it is an object of a class: as a literal with
 * functions it took three times the memory.
 */
export class SqliteSession implements Session {
  readonly isRepeat = false;
  /** Whether this session has changed anything in the transaction. */
  wrote = false;
  /**
   * The failure after which the transaction must not be committed. SQLite itself may already have
   * rolled it back.
   */
  broken: Error | undefined;
  /** The lengths of all texts and bytes that its statements were given. */
  bytes = 0;
  /** Rows to insert before the transaction is committed. */
  readonly appended: AppendedRow[] = [];
  /** Actions to run after the commit. */
  readonly committed: (() => void)[] = [];
  readonly #connection: SqliteHandle;
  readonly #readLimitMs: number | undefined;
  #isOver = false;
  /** How many statements are under way. */
  #underWay = 0;
  #idle: (() => void) | undefined;

  /** `readLimitMs`: how long a statement that reads may take. Default: any time. */
  constructor(connection: SqliteHandle, readLimitMs?: number) {
    this.#connection = connection;
    this.#readLimitMs = readLimitMs;
  }

  /**
   * From now on every use throws. Resolves when no statement is under way any more, because it
   * would run outside the transaction.
   */
  async end(): Promise<void> {
    this.#isOver = true;
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  async rows<Row extends object>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    this.#requireOpen();
    const bound = boundValues(values);
    this.bytes += lengthOf(values);
    this.#underWay += 1;
    try {
      const limitMs = this.#readLimitMs;
      const found =
        limitMs === undefined
          ? await query<Row>(this.#connection, sql, bound)
          : await queryWithin<Row>(this.#connection, sql, bound, limitMs);
      // An INSERT or UPDATE can return rows, too.
      if (!/^select/i.test(sql)) this.wrote = true;
      return found;
    } catch (thrown) {
      throw this.#failed(thrown);
    } finally {
      this.#ended();
    }
  }

  async run(sql: string, values: readonly Value[] = []): Promise<Change> {
    this.#requireOpen();
    const bound = boundValues(values);
    this.bytes += lengthOf(values);
    this.#underWay += 1;
    try {
      const change = await changeBy(this.#connection, sql, bound);
      if (change.changed > 0) this.wrote = true;
      return change;
    } catch (thrown) {
      throw this.#failed(thrown);
    } finally {
      this.#ended();
    }
  }

  async append(row: AppendedRow): Promise<void> {
    this.#requireOpen();
    checkValues(row.values);
    this.bytes += lengthOf(row.values);
    this.appended.push(row);
  }

  afterCommit(action: () => void): void {
    this.committed.push(action);
  }

  #requireOpen(): void {
    if (this.#isOver) throw new Error("the transaction is over; its stores cannot be used any more");
    if (this.broken !== undefined) throw this.broken;
  }

  #failed(thrown: unknown): Error {
    const translated = translate(thrown, sqliteErrors);
    if (!statementErrors.has(vendorErrorOf(thrown).code)) this.broken ??= translated;
    return translated;
  }

  #ended(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#idle?.();
  }
}

/**
 * Most rows of one INSERT. Each number of rows is a statement of its own, which is prepared once
 * and kept.
 */
const largestAppend = 64;

/**
 * Inserts rows in their order, those of one table together. If it fails, the caller must roll the
 * transaction back: `OR FAIL` leaves the rows before the one that failed. In return, SQLite keeps
 * no copy of the pages that it changes.
 */
export const insertAppended = async (connection: SqliteHandle, rows: readonly AppendedRow[]): Promise<void> => {
  for (const name of new Set(rows.map(({ table }) => table))) {
    for (const chunk of chunksOf(
      rows.filter(({ table }) => table === name),
      largestAppend,
    )) {
      const columns = chunk[0]?.columns ?? [];
      await execute(
        connection,
        `INSERT OR FAIL INTO ${name} (${quoted(columns)}) VALUES ${placeholders(chunk.length, columns.length)}`,
        chunk.flatMap(({ values }) => values),
      );
    }
  }
};
