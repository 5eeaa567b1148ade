import type { Database } from "./database.ts";
import type { JoinedDatabase } from "./joined-database.ts";

export interface OpenDatabase extends Database {
  /**
   * Runs `work` in one transaction, with stores that belong to it. `network` is the network that
   * asked for it, if any.
   */
  transaction<Result>(work: (database: Database) => Promise<Result>, network?: string): Promise<Result>;
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
  /** Ends what is under way and closes every connection. */
  close(): Promise<void>;
}
