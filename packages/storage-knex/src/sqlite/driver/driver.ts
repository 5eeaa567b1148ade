import type { SqliteDriverName } from "../../engine/driver-names.ts";
import type { Change } from "../../engine/session.ts";

/** What a statement may be given. Every driver stores it, and returns it equal. */
export type Bound = string | number | bigint | boolean | null | Uint8Array;

/**
 * A way to SQLite: a library that has it. Errors of every driver have SQLite's name of the error,
 * such as `SQLITE_BUSY`, as `code`, and SQLite's own text as `message`.
 */
export interface SqliteDriver {
  readonly name: SqliteDriverName;
  /** The version of SQLite itself, such as `3.53.4`. */
  readonly version: string;
  /**
   * Opens a connection to a file. Without `create`, a missing file is refused with
   * `SQLITE_CANTOPEN`.
   */
  open(file: string, options: { readonly create: boolean }): Promise<SqliteConnection>;
}

/** A failure that SQLite named. */
export class SqliteFault extends Error {
  override readonly name = "SqliteFault";
  /** SQLite's name of it, such as `SQLITE_BUSY`. */
  readonly code: string;
  /** SQLite's number of it. */
  readonly errno: number;

  constructor(code: string, errno: number, message: string) {
    super(message);
    this.code = code;
    this.errno = errno;
  }
}

/**
 * One connection. Its statements run one after the other; wait for one that has to be the first. It
 * prepares each text once and keeps it.
 */
export interface SqliteConnection {
  /** The rows of a statement. The statements of `before` run first, as in `batch`, in one message with it. */
  all<Row>(sql: string, values?: readonly Bound[], before?: readonly Step[]): Promise<Row[]>;
  /** Runs a statement that returns no rows; `before` as in `all`. */
  run(sql: string, values?: readonly Bound[], before?: readonly Step[]): Promise<Change>;
  /**
   * Runs statements in their order, up to the first that fails, which rejects. What ran before it is
   * not undone.
   */
  batch(steps: readonly Step[]): Promise<void>;
  /**
   * Ends the statement that runs, if there is one, with `SQLITE_INTERRUPT`. The connection may be
   * lost by it.
   */
  interrupt(): void;
  /** Whether the connection is of no use any more. Every call on it fails then. */
  readonly isLost: boolean;
  /** Resolves when the file is closed. A second call does nothing. */
  close(): Promise<void>;
}

/** A statement of a batch. */
export interface Step {
  readonly sql: string;
  readonly values?: readonly Bound[] | undefined;
}
