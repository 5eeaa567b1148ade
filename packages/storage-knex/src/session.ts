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

export interface RunOptions {
  /**
   * The server parses the text once for each connection and keeps it. For texts that come again all
   * the time, and of which there are few. SQLite does this with every text.
   */
  readonly prepared?: boolean;
}

/** One connection, for as long as a read or a transaction lasts. Failures come out translated: see `translate-error.ts`. */
export interface Session {
  /** The transaction has met another one and runs again; never on SQLite. */
  readonly isRepeat: boolean;
  /** The rows of a statement. `Row` states the columns it selects. */
  rows<Row extends object>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  run(sql: string, values?: readonly Value[], options?: RunOptions): Promise<Change>;
  /**
   * Inserts a row by the end of the transaction, perhaps by one statement with the rows of others; only in a write. For tables whose rows nothing in the transaction
   * looks for, and which refuse none: it would be heard of too late.
   */
  append(row: AppendedRow): Promise<void>;
  /**
   * Runs `action` once the transaction is committed, before its caller gets the answer; never if
   * it is not, or if nobody knows. It must not throw. Does nothing outside a write.
   */
  afterCommit(action: () => void): void;
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
  /** The same from inside a write, where waiting for another write would never end. */
  takeWithin(session: Session, sequence: IdSequence, count: number): Promise<number>;
}

export type IdSequence = "event" | "job" | "lease" | "runner";

/** Where statements run: on connections of their own, or all within one transaction. */
export interface Sessions {
  /** Outside a transaction a read never waits for writes, and sees what was committed when each statement began. */
  read<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /** All of `work` in one transaction; on disk when it resolves. `work` may be run again from its start. */
  write<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
}
