import type { Session } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";
import type { ErrorTable } from "../engine/translate-error.ts";
import type { Failure, ServerSession, SessionOptions } from "./session.ts";

export interface ServerSettings {
  /** False if the operator accepts that a power cut may lose the commits of the last second. */
  readonly requireFlush: boolean;
}

/** The meanings of a driver's errors, for transactions that may run again. */
export interface ServerErrors extends ErrorTable {
  /** Whether a second try may well work: a deadlock, or a wait for a lock that took too long. */
  isContention(thrown: unknown): boolean;
  /** Whether the connection can no longer be used. */
  isLost(thrown: unknown): boolean;
  /** Whether the server takes no writes any more: another one has become the primary. */
  isDemoted(thrown: unknown): boolean;
  /** Whether the connection can be used again after a rollback. */
  isUsable(thrown: unknown): boolean;
}

/**
 * In a transaction of the application, a deadlock or a serialization failure is the application's, whose
 * code knows the driver's error and may begin again.
 */
export const asOfDriver = (failure: Failure, thrown: unknown, { isContention }: ServerErrors): Failure =>
  isContention(thrown) && thrown instanceof Error ? { ...failure, error: thrown } : failure;

/** A session of any driver. */
export type AnySession = Omit<ServerSession<unknown, unknown>, "connection">;

/** Connections of the application, in transactions that it has begun. Their errors are the driver's. */
export interface JoinedConnections {
  session(connection: object): AnySession;
  /** @throws TypeError if the application's settings of the session would change what is stored or read. */
  requireSettings(session: Session): Promise<void>;
  /** @throws TypeError unless a transaction has begun that can still be committed. */
  requireBegun(connection: object): Promise<void>;
}

/** A pool of connections to a server of databases. Its errors are the driver's. */
export interface ServerPool<Connection> {
  readonly dialect: Dialect;
  readonly errors: ServerErrors;
  readonly joined: JoinedConnections;
  /** The most connections that write at once. */
  readonly size: number;
  /**
   * The statements that begin a transaction, if each needs settings of its own. Reads are transactions
   * then, too. Absent: connections keep their settings.
   */
  readonly begin?: Readonly<Record<"read" | "write", string>>;
  /**
   * The statements that begin a transaction which only reads, and sees what is committed now. Nothing in
   * the transaction can make it write.
   */
  readonly snapshot: readonly string[];
  /** The most connections that read at once. */
  readonly readers: number;
  acquire(use: "read" | "write"): Promise<Connection>;
  release(connection: Connection): Promise<void>;
  /** Closes a connection whose state is not known. */
  discard(connection: Connection): Promise<void>;
  /** Hands out none of the connections again that are open now. */
  renew(): void;
  session(connection: Connection, options: SessionOptions): AnySession;
  /** Runs a statement without values, such as `COMMIT`. */
  control(connection: Connection, sql: string): Promise<unknown>;
  close(): Promise<void>;
}
