import {
  type AppendedRow,
  type Change,
  checkValues,
  chunksOf,
  type OwnQuery,
  placeholders,
  quoted,
  type Session,
  type Value,
} from "../engine/database.ts";
import type { SqliteDriverName } from "../engine/driver-names.ts";
import { lengthOf } from "../engine/given-bytes.ts";
import { queryTooSlow, translate, vendorErrorOf } from "../engine/translate-error.ts";
import type { SqliteConnection, Step } from "./driver/driver.ts";
import { sqliteErrors } from "./errors.ts";
import { runQuery } from "./knex-client.ts";

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
  /** Refuses every statement that writes. */
  readonly queryOnly?: boolean;
  /** The driver that opens its connections. Default: the first that works. */
  readonly driver?: SqliteDriverName | undefined;
  /** How long a statement waits while another process writes, in milliseconds. Default: 2,000. */
  readonly busyMs?: number;
  /** How long the opening of a connection waits. Default: as each statement does. */
  readonly openingBusyMs?: number;
}

/**
 * The rows of a statement, which is interrupted after `limitMs`. At that time the statement may still
 * wait for one of SQLite's threads, where an interrupt does not reach it. So it is interrupted
 * again and again.
 */
const rowsWithin = async <Row>(
  connection: SqliteConnection,
  sql: string,
  values: readonly Value[],
  limitMs: number,
): Promise<Row[]> => {
  let isLate = false;
  const timer = setInterval(() => {
    isLate = true;
    connection.interrupt();
  }, limitMs);
  try {
    return await connection.all<Row>(sql, values);
  } catch (thrown) {
    throw isLate && vendorErrorOf(thrown).code === "SQLITE_INTERRUPT" ? queryTooSlow(limitMs, thrown) : thrown;
  } finally {
    clearInterval(timer);
  }
};

/**
 * Makes the settings that SQLite keeps for each connection and not in the file. (The journal mode
 * is in the file.)
 */
export const prepareConnection = async (
  connection: SqliteConnection,
  { synchronous, undoInMemory = false, queryOnly = false, busyMs = 2_000, openingBusyMs = busyMs }: SqliteSettings,
): Promise<void> => {
  await connection.all(`PRAGMA busy_timeout = ${openingBusyMs}`);
  await useWal(connection);
  if (openingBusyMs !== busyMs) await connection.all(`PRAGMA busy_timeout = ${busyMs}`);
  await connection.all(`PRAGMA synchronous = ${synchronous}`);
  await connection.all("PRAGMA foreign_keys = ON");
  await connection.all("PRAGMA wal_autocheckpoint = 4000");
  if (undoInMemory) await connection.all("PRAGMA temp_store = MEMORY");
  if (queryOnly) await connection.all("PRAGMA query_only = ON");
};

/**
 * Sets WAL mode, and tries again if the file is locked. The busy timeout does not wait for this
 * lock, which two processes can meet if both set WAL mode on the same new file.
 */
const useWal = async (connection: SqliteConnection, tries = 50): Promise<void> => {
  try {
    const [row] = await connection.all<{ journal_mode: string }>("PRAGMA journal_mode = WAL");
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

/** A value as Knex's client for SQLite would bind it. */
const ownValue = (value: unknown): Value => {
  if (value instanceof Date) return value.getTime();
  // `checkValues` refuses what cannot be stored.
  return typeof value === "boolean" ? Number(value) : ((value ?? null) as Value);
};

/** Errors after which SQLite undoes only the statement, not the transaction. */
export const statementErrors = new Set([
  "SQLITE_ERROR",
  "SQLITE_CONSTRAINT",
  "SQLITE_MISMATCH",
  "SQLITE_RANGE",
  "SQLITE_TOOBIG",
]);

/**
 * Statements of a group of transactions that were given by `Session.later`. They run with the next
 * statement or with the commit, in one message to the thread of the connection.
 */
export class LaterStatements {
  /**
   * The first failure of a message that had such statements in it. One of them may have failed, and
   * the transaction that gave it has not been told.
   */
  failure: unknown;
  readonly #steps: Step[] = [];

  add(step: Step): void {
    this.#steps.push(step);
  }

  /** Gives all steps to `send`, which runs them in front of its own statement. */
  async with<Result>(send: (before: readonly Step[] | undefined) => Promise<Result>): Promise<Result> {
    if (this.#steps.length === 0) return send(undefined);
    try {
      return await send(this.#steps.splice(0));
    } catch (thrown) {
      this.failure ??= thrown;
      throw thrown;
    }
  }
}

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
  readonly #connection: SqliteConnection;
  readonly #readLimitMs: number | undefined;
  /** `undefined` outside a transaction. */
  readonly #later: LaterStatements | undefined;
  #isOver = false;
  /** How many statements are under way. */
  #underWay = 0;
  #idle: (() => void) | undefined;

  /** `readLimitMs`: how long a statement that reads may take. Default: any time. */
  constructor(connection: SqliteConnection, later?: LaterStatements, readLimitMs?: number) {
    this.#connection = connection;
    this.#later = later;
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
    this.#take(values);
    this.#underWay += 1;
    try {
      const limitMs = this.#readLimitMs;
      const found =
        limitMs === undefined
          ? await this.#withLater((before) => this.#connection.all<Row>(sql, values, before))
          : await rowsWithin<Row>(this.#connection, sql, values, limitMs);
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
    this.#take(values);
    this.#underWay += 1;
    try {
      const change = await this.#withLater((before) => this.#connection.run(sql, values, before));
      if (change.changed > 0) this.wrote = true;
      return change;
    } catch (thrown) {
      throw this.#failed(thrown);
    } finally {
      this.#ended();
    }
  }

  async later(sql: string, values: readonly Value[] = []): Promise<void> {
    if (this.#later === undefined) return void (await this.run(sql, values));
    this.#take(values);
    this.#later.add({ sql, values });
    this.wrote = true;
  }

  async append(row: AppendedRow): Promise<void> {
    this.#take(row.values);
    this.appended.push(row);
  }

  afterCommit(action: () => void): void {
    this.committed.push(action);
  }

  async own(query: OwnQuery): Promise<void> {
    const values = (query.bindings ?? []).map(ownValue);
    this.#take(values);
    this.#underWay += 1;
    try {
      await this.#withLater((before) => runQuery(this.#connection, query, values, before));
      this.wrote ||= !/^\s*select\b/i.test(query.sql);
    } catch (thrown) {
      this.#failed(thrown);
      throw thrown;
    } finally {
      this.#ended();
    }
  }

  #withLater<Result>(send: (before?: readonly Step[]) => Promise<Result>): Promise<Result> {
    return this.#later === undefined ? send() : this.#later.with(send);
  }

  #take(values: readonly Value[]): void {
    if (this.#isOver) throw new Error("the transaction is over; its stores cannot be used any more");
    if (this.broken !== undefined) throw this.broken;
    checkValues(values);
    this.bytes += lengthOf(values);
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
 * The statements that insert rows in their order, those of one table together. If one fails, the
 * caller must roll the transaction back: `OR FAIL` leaves the rows before the one that failed. In
 * return, SQLite keeps no copy of the pages that it changes.
 */
export const insertsOf = (rows: readonly AppendedRow[]): readonly Step[] =>
  [...new Set(rows.map(({ table }) => table))].flatMap((name) =>
    chunksOf(
      rows.filter(({ table }) => table === name),
      largestAppend,
    ).map((chunk) => {
      const columns = chunk[0]?.columns ?? [];
      return {
        sql: `INSERT OR FAIL INTO ${name} (${quoted(columns)}) VALUES ${placeholders(chunk.length, columns.length)}`,
        values: chunk.flatMap(({ values }) => values),
      };
    }),
  );
