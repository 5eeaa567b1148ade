import type { Database } from "./database.ts";

export interface OpenDatabase extends Database {
  /**
   * Runs `work` in one transaction, with stores that belong to it. `network` is the network that
   * asked for it, if any.
   */
  transaction<Result>(work: (database: Database) => Promise<Result>, network?: string): Promise<Result>;
  /** Ends what is under way and closes every connection. */
  close(): Promise<void>;
}
