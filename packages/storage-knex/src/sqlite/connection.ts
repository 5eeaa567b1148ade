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
  const statement = await statementOf(connection, sql);
  await new Promise<void>((resolve, reject) =>
    statement.run(values, (error) => (error === null ? resolve() : reject(error))),
  );
};

const query = async <Row>(connection: SqliteHandle, sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
  const statement = await statementOf(connection, sql);
  return new Promise((resolve, reject) =>
    statement.all<Row>(values, (error, rows) => (error === null ? resolve(rows) : reject(error))),
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

const statementOf = async (connection: SqliteHandle, sql: string): Promise<SqliteStatement> => {
  const kept = prepared.get(connection) ?? new Map<string, SqliteStatement>();
  prepared.set(connection, kept);
  const known = kept.get(sql);
  if (known !== undefined) {
    // The order matters only when there will soon be too many.
    if (kept.size > maxPrepared / 2) {
      kept.delete(sql);
      kept.set(sql, known);
    }
    return known;
  }
  const made = await new Promise<SqliteStatement>((resolve, reject) => {
    const statement = connection.prepare(sql, (error) => (error === null ? resolve(statement) : reject(error)));
  });
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
  { synchronous, undoInMemory = false }: SqliteSettings,
): Promise<void> => {
  await query(connection, "PRAGMA busy_timeout = 2000");
  await useWal(connection);
  await query(connection, `PRAGMA synchronous = ${synchronous}`);
  await query(connection, "PRAGMA foreign_keys = ON");
  await query(connection, "PRAGMA wal_autocheckpoint = 4000");
  if (undoInMemory) await query(connection, "PRAGMA temp_store = MEMORY");
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

export interface SqliteSession extends Session {
  /**
   * The failure after which the transaction must not be committed. SQLite itself may already have
   * rolled it back.
   */
  readonly broken: Error | undefined;
  /** Whether this session has changed anything in the transaction. */
  readonly wrote: boolean;
  /** The lengths of all texts and bytes that its statements were given. Tells how long it took. */
  readonly bytes: number;
  /** Rows to insert before the transaction is committed. */
  readonly appended: readonly AppendedRow[];
  /** Actions to run after the commit. */
  readonly committed: readonly (() => void)[];
  /** From now on every use throws `reason`. Resolves when no statement is under way any more. */
  end(reason: Error): Promise<void>;
}

/** Errors after which SQLite undoes only the statement, not the transaction. */
const statementErrors = new Set([
  "SQLITE_ERROR",
  "SQLITE_CONSTRAINT",
  "SQLITE_MISMATCH",
  "SQLITE_RANGE",
  "SQLITE_TOOBIG",
]);

export interface SqliteSessionOptions {
  /** How long a statement that reads may take. Default: any time. */
  readonly readLimitMs?: number;
}

export const sqliteSession = (connection: SqliteHandle, { readLimitMs }: SqliteSessionOptions = {}): SqliteSession => {
  let broken: Error | undefined;
  let over: Error | undefined;
  let wrote = false;
  let bytes = 0;
  const appended: AppendedRow[] = [];
  const committed: (() => void)[] = [];
  const underWay = new Set<Promise<unknown>>();

  const guarded = async <Result>(values: readonly Value[], action: (bound: readonly unknown[]) => Promise<Result>) => {
    const refusal = over ?? broken;
    if (refusal !== undefined) throw refusal;
    checkValues(values);
    bytes += lengthOf(values);
    const running = action(values.map((value) => (value instanceof Uint8Array ? bufferOf(value) : value)));
    underWay.add(running);
    try {
      return await running;
    } catch (thrown) {
      const translated = translate(thrown, sqliteErrors);
      if (!statementErrors.has(vendorErrorOf(thrown).code)) broken ??= translated;
      throw translated;
    } finally {
      underWay.delete(running);
    }
  };

  return {
    isRepeat: false,
    get broken() {
      return broken;
    },
    get wrote() {
      return wrote;
    },
    get bytes() {
      return bytes;
    },
    appended,
    committed,
    end: async (reason) => {
      over = reason;
      await Promise.allSettled(underWay);
    },
    rows: (sql, values = []) => {
      // An INSERT or UPDATE can return rows, too.
      if (!/^select/i.test(sql)) wrote = true;
      return guarded(values, (bound) =>
        readLimitMs === undefined ? query(connection, sql, bound) : queryWithin(connection, sql, bound, readLimitMs),
      );
    },
    run: (sql, values = []) =>
      guarded(values, async (bound) => {
        const statement = await statementOf(connection, sql);
        return new Promise<Change>((resolve, reject) => {
          statement.run(bound, function (error) {
            if (error !== null) return reject(error);
            wrote ||= this.changes > 0;
            resolve({ changed: this.changes, insertId: this.lastID });
          });
        });
      }),
    append: async (row) => {
      const refusal = over ?? broken;
      if (refusal !== undefined) throw refusal;
      checkValues(row.values);
      bytes += lengthOf(row.values);
      appended.push(row);
    },
    afterCommit: (action) => {
      committed.push(action);
    },
  };
};

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
