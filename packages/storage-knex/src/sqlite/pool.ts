import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import knex, { type Knex } from "knex";
import { quietLog } from "../quiet-log.ts";
import { forgetStatements, prepareConnection, type SqliteHandle, type SqliteSettings } from "./connection.ts";
import { protectFile } from "./private-file.ts";

export interface SqlitePool {
  readonly knex: Knex;
  acquire(): Promise<SqliteHandle>;
  release(connection: SqliteHandle): Promise<void>;
  /** Gives back a connection whose state is not known. It is closed and never used again. */
  discard(connection: SqliteHandle): Promise<void>;
  close(): Promise<void>;
}

/**
 * Up to `size` connections to a file, each with the settings that SQLite does not keep in the file.
 * They are opened when first needed.
 */
export const sqlitePool = (file: string, size: number, settings: SqliteSettings): SqlitePool => {
  mkdirSync(dirname(file), { recursive: true });
  const open = new Set<SqliteHandle>();
  const discarded = new Set<SqliteHandle>();
  const pool = knex({
    client: "sqlite3",
    // A function, which Knex calls before it opens a connection.
    connection: () => {
      protectFile(file);
      return { filename: file };
    },
    useNullAsDefault: true,
    log: quietLog,
    acquireConnectionTimeout: 2000,
    pool: {
      // No idle connection is closed, because its prepared statements would have to be finalized
      // first.
      min: size,
      max: size,
      // Called before the pool hands out a connection. If it was discarded, the pool closes it and
      // opens another.
      validate: (connection: SqliteHandle) => !discarded.delete(connection),
      afterCreate: (connection: SqliteHandle, done: (error: unknown, connection: SqliteHandle) => void) => {
        open.add(connection);
        prepareConnection(connection, settings).then(
          () => done(null, connection),
          (error: unknown) => forgetStatements(connection).then(() => done(error, connection)),
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
      open.delete(connection);
      await forgetStatements(connection);
      discarded.add(connection);
      await client.releaseConnection(connection);
    },
    close: async () => {
      await Promise.all([...open].map(forgetStatements));
      await pool.destroy();
    },
  };
};
