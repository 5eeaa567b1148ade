import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type OpenedPool, openedPool } from "../engine/opened-pool.ts";
import { prepareConnection, type SqliteSettings } from "./connection.ts";
import type { SqliteConnection } from "./driver/driver.ts";
import { loadDriver } from "./driver/load-driver.ts";
import { knexClient } from "./knex-client.ts";
import type { OpenedFile } from "./opened-file.ts";
import { protectFile } from "./private-file.ts";

/**
 * Up to `size` connections to a file, each with the settings that SQLite does not keep in the file.
 * They are opened when first needed. All of them lead to the file that `opened` knows. `waitMs`: how
 * long a caller waits until one is free.
 */
export const sqlitePool = (
  file: string,
  size: number,
  settings: SqliteSettings,
  opened?: Pick<OpenedFile, "admit" | "isKnown" | "requireSame">,
  waitMs = 2000,
): OpenedPool<SqliteConnection> => {
  mkdirSync(dirname(file), { recursive: true });
  const open = async (): Promise<SqliteConnection> => {
    const driver = await loadDriver(settings.driver);
    // Only the first connection may make the file. A file that is gone may come back, and SQLite would
    // give a new file in its place the same `-wal`, and remove that.
    if (opened?.isKnown === true) opened.requireSame();
    else protectFile(file);
    const connection = await driver.open(file, { create: false });
    try {
      await prepareConnection(connection, settings);
      opened?.admit();
      return connection;
    } catch (thrown) {
      await connection.close();
      throw thrown;
    }
  };
  return openedPool(() => knexClient(open), {
    size,
    // No idle connection is closed.
    idle: size,
    // Who waits longer for other processes waits longer for a thread to start, too.
    acquireMs: Math.max(waitMs, settings.busyMs ?? 0),
  });
};
