/**
 * The values that may reach a statement. There is no `undefined`, no NaN, and no object that a
 * driver would spell in its own way.
 */
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

export interface RunOptions {
  /**
   * The server parses the text once for each connection and keeps it. Use it for a few texts that
   * are repeated all the time. SQLite does this with every text.
   */
  readonly prepared?: boolean;
  /**
   * A constraint may refuse the statement, and the transaction goes on. On PostgreSQL this takes a
   * savepoint: without it, every error ends the transaction.
   */
  readonly refusable?: boolean;
}

/** For a statement that a constraint may refuse. */
export const refusable: RunOptions = { refusable: true };

/** A statement of the application's own that Knex has made, and what Knex reads from it afterwards. */
export interface OwnQuery {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  readonly method?: string;
  readonly returning?: unknown;
  options?: object;
  response?: unknown;
  context?: object;
}

/**
 * One connection, for as long as a read or a transaction lasts. Its failures are translated: see
 * `translate-error.ts`.
 */
export interface Session {
  /** True if the transaction was in conflict with another one and runs again; never on SQLite. */
  readonly isRepeat: boolean;
  /** The rows of a statement. `Row` states the columns it selects. */
  rows<Row extends object>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  run(sql: string, values?: readonly Value[], options?: RunOptions): Promise<Change>;
  /**
   * Runs a statement whose result nobody needs. On MySQL it runs at once. On SQLite it runs with the
   * next statement or with the commit, which spares a message to another thread. If the database
   * refuses it, the transaction fails.
   */
  later(sql: string, values?: readonly Value[], options?: RunOptions): Promise<void>;
  /**
   * Inserts a row before the end of the transaction, perhaps in one statement with rows of other
   * transactions. Use it only in a write, and only for a table whose rows nothing in the
   * transaction reads. The table must never refuse a row, because the refusal would be found too
   * late.
   */
  append(row: AppendedRow): Promise<void>;
  /**
   * Runs `action` after the commit, before the caller of the transaction gets the answer. It does
   * not run if there was no commit, or if that is unknown. It must not throw. Does nothing outside
   * a write.
   */
  afterCommit(action: () => void): void;
  /**
   * Runs a statement of the application's own, as Knex's client for this database does. Its errors are
   * the driver's.
   */
  own(query: OwnQuery): Promise<void>;
}

/** A row for `append`. */
export interface AppendedRow {
  readonly table: string;
  readonly columns: readonly string[];
  readonly values: readonly Value[];
}

/** Numbers for rows, known before they are inserted. */
export interface IdSource {
  /** The first of `count` numbers in a row that nobody else gets. */
  take(sequence: IdSequence, count: number): Promise<number>;
  /** The same from inside a write, which would wait for ever for another write. */
  takeWithin(session: Session, sequence: IdSequence, count: number): Promise<number>;
  /**
   * Drops all numbers that this process holds: one of them was found on a row of somebody else. The
   * next ones are above the largest number that is stored.
   */
  doubt(): void;
  /**
   * Looks whether the database went back in time, and then drops all numbers that this process holds.
   * @throws AppError `unavailable` if it is not the database that was opened first.
   */
  look(session: Session): Promise<void>;
  /** How often the numbers were dropped. */
  drops(): number;
}

export type IdSequence = "event" | "job" | "feed";

/** Where statements run: on connections of their own, or all within one transaction. */
export interface Sessions {
  /**
   * Outside a transaction, a read never waits for writes. Each statement sees everything that was
   * committed when it began.
   */
  read<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /**
   * Runs all of `work` in one transaction. The changes are on disk when it resolves. `work` may run
   * again from its start.
   */
  write<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
}
