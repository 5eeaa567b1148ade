import type { Database } from "./database.ts";

export interface OpenDatabase extends Database {
  /**
   * Runs `work` in one transaction, with stores that belong to it. `network` is the network that
   * asked for it, if any.
   */
  transaction<Result>(work: (database: Database) => Promise<Result>, network?: string): Promise<Result>;
  /**
   * Resolves if the store is still the one that was opened first.
   * @throws AppError `unavailable`, see `storeReplaced`.
   */
  requireSame(): Promise<void>;
  /** Ends what is under way and closes every connection. */
  close(): Promise<void>;
}
