import type { Database } from "./database.ts";

export interface OpenDatabase extends Database {
  /** Runs `work` in one transaction, with stores that belong to it. */
  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /** Ends what is under way and closes every connection. */
  close(): Promise<void>;
}
