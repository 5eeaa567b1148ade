import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import knex, { type Knex } from "knex";
import { quietLog } from "../quiet-log.ts";
import { prepareConnection, type SqliteSettings } from "./connection.ts";
import type { SqliteConnection } from "./driver/driver.ts";
import { knexClient } from "./knex-client.ts";
import type { OpenedFile } from "./opened-file.ts";
import { protectFile } from "./private-file.ts";

export interface SqlitePool {
  readonly knex: Knex;
  acquire(): Promise<SqliteConnection>;
  release(connection: SqliteConnection): Promise<void>;
  /** Gives back a connection whose state is not known. It is closed and never used again. */
  discard(connection: SqliteConnection): Promise<void>;
  close(): Promise<void>;
}

/**
 * Up to `size` connections to a file, each with the settings that SQLite does not keep in the file.
 * They are opened when first needed. All of them lead to the file that `opened` knows.
 */
export const sqlitePool = (
  file: string,
  size: number,
  settings: SqliteSettings,
  opened?: Pick<OpenedFile, "admit" | "isKnown" | "requireSame">,
): SqlitePool => {
  mkdirSync(dirname(file), { recursive: true });
  const discarded = new Set<SqliteConnection>();
  const pool = knex({
    // Only the first connection may make the file. A file that is gone may come back, and SQLite would
    // give a new file in its place the same `-wal`, and remove that.
    client: knexClient(settings.driver, () => {
      if (opened?.isKnown === true) opened.requireSame();
      else protectFile(file);
    }),
    connection: { filename: file },
    useNullAsDefault: true,
    log: quietLog,
    // Who waits longer for other processes waits longer for a thread to start, too.
    acquireConnectionTimeout: Math.max(2000, settings.busyMs ?? 0),
    pool: {
      // No idle connection is closed.
      min: size,
      max: size,
      // Called before the pool hands out a connection. If it was discarded or lost, the pool closes it
      // and opens another.
      validate: (connection: SqliteConnection) => !discarded.delete(connection) && !connection.isLost,
      afterCreate: (connection: SqliteConnection, done: (error: unknown, connection: SqliteConnection) => void) => {
        prepareConnection(connection, settings)
          .then(() => opened?.admit())
          .then(
            () => done(null, connection),
            (error: unknown) => connection.close().finally(() => done(error, connection)),
          );
      },
    },
  });
  // Knex types its client as `any`; these are the documented methods of `Knex.Client`.
  const client = pool.client as Knex.Client;

  return {
    knex: pool,
    acquire: async () => client.acquireConnection(),
    release: async (connection) => client.releaseConnection(connection),
    discard: async (connection) => {
      discarded.add(connection);
      await client.releaseConnection(connection);
    },
    close: () => pool.destroy(),
  };
};
