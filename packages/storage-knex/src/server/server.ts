import type { Session } from "../database.ts";
import type { Dialect } from "../dialect.ts";
import type { ErrorTable } from "../translate-error.ts";

/** The meanings of a driver's errors, for transactions that may run again. */
export interface ServerErrors extends ErrorTable {
  /** Whether a second try may well work: a deadlock, or a wait for a lock that took too long. */
  isContention(thrown: unknown): boolean;
  /** Whether the connection can no longer be used. */
  isLost(thrown: unknown): boolean;
  /** Whether the connection can be used again after a rollback. */
  isUsable(thrown: unknown): boolean;
}

export interface SessionOptions {
  /** How long a statement that reads may take. Default: the bound of every statement. */
  readonly readLimitMs?: number;
  readonly isRepeat?: boolean;
}

/** A session on a connection, for one run of a transaction or of a read. */
export interface ServerSession extends Session {
  /** Actions to run after the commit. */
  readonly committed: readonly (() => void)[];
  /** The error of the driver after which the transaction must not be committed. */
  readonly broken: unknown;
  /** From now on every use throws `reason`. */
  end(reason: Error): void;
}

/** A pool of connections to a server of databases. Its errors are the driver's. */
export interface ServerPool<Connection> {
  readonly dialect: Dialect;
  readonly errors: ServerErrors;
  /** The most connections that write at once. */
  readonly size: number;
  acquire(use: "read" | "write"): Promise<Connection>;
  release(connection: Connection): Promise<void>;
  /** Closes a connection whose state is not known. */
  discard(connection: Connection): Promise<void>;
  session(connection: Connection, options: SessionOptions): ServerSession;
  /** Runs a statement without values, such as `COMMIT`. */
  control(connection: Connection, sql: string): Promise<unknown>;
  close(): Promise<void>;
}
