import type { Liveness } from "@postern/core/ports";
import { type Database, firstOf, type IdSource, type Session } from "./database.ts";
import type { Dialect } from "./dialect.ts";
import { noticingTaken } from "./id-blocks.ts";

export interface OpenDatabase extends Database {
  /**
   * Runs `work` in one transaction, with stores that belong to it. `network` is the network that
   * asked for it, if any.
   */
  transaction<Result>(work: (database: Database) => Promise<Result>, network?: string): Promise<Result>;
  /**
   * Runs `work` in one transaction that only reads and sees what was committed when it began. `signal`
   * ends it, whatever `work` does.
   */
  snapshot<Result>(work: (database: Database) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /**
   * Gives a database whose stores write in a transaction of the application, on its own connection.
   * What can be seen at once is refused here, the rest when it is first used.
   * @throws TypeError unless it is a transaction on this database.
   */
  join(given: unknown): JoinedDatabase;
  /**
   * Resolves if the store is still the one that was opened first.
   * @throws AppError `unavailable`, see `storeReplaced`.
   */
  requireSame(): Promise<void>;
  /**
   * How many transactions that write have waited for another one of this process, or went on beside
   * one, since it was opened.
   */
  waits(): number;
  /** Whether it was used since `requireSame` or `lookBack` last compared it. */
  wasUsed(): boolean;
  /** Looks whether the database has gone back in time; see `IdSource.look`. */
  lookBack(): Promise<void>;
  /** Call it when this process itself has undone a step, which may be the one that draws the database's number. */
  forgetIdentity(): void;
  /** Ends what is under way and closes every connection. */
  close(): Promise<void>;
}

/** A transaction of the application in which stores take part. */
export interface JoinedDatabase {
  readonly database: Database;
  /**
   * Runs `action` after the application's commit. Returns false, and never runs it, if nothing tells of
   * the commit; then workers find the jobs when they look for work by themselves.
   */
  afterCommit(action: () => void): boolean;
}

/** The database as stores see it within the application's transaction. `open` is called before each use. */
export const joinedDatabase = (dialect: Dialect, ids: IdSource, open: () => Promise<Session>): Database => {
  const select: Database["select"] = async ({ sql, values }) => (await open()).rows(sql, values);
  return {
    dialect,
    ids,
    read: async (work) => work(await open()),
    write: (work) => noticingTaken(ids, async () => work(await open())),
    select,
    selectOne: firstOf(select),
  };
};

export interface ClosableLiveness extends Liveness {
  /** Releases every lock that this process holds. */
  close(): Promise<void>;
}

/** A setting of the database server that is too low, or too weak, for what is needed. */
export interface LowLimit {
  /** The variable of the server. */
  readonly name: string;
  readonly found: number | string;
  /** What happens, and what to set. */
  readonly text: string;
}
