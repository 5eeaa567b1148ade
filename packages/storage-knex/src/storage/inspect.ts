import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "../engine/database.ts";
import { loadDriver } from "../sqlite/driver/load-driver.ts";
import type { SqliteFile } from "../sqlite/sole-connection.ts";

/**
 * Facts about the database for operators, apart from its tables. A member is absent if it does not
 * apply to this kind of database.
 */
export interface DatabaseFacts {
  /** The library that reaches the database, and the database's version: `node:sqlite (SQLite 3.53.4)`. */
  readonly driver: string;
  /**
   * SQLite: the size of the write-ahead log. One that keeps growing has a reader that never ends.
   */
  readonly walBytes?: number;
  /** SQLite: room left on the file's disk. */
  readonly freeBytes?: number;
  /** MySQL/MariaDB: how far the server's clock is ahead of ours, in milliseconds. */
  readonly clockSkewMs?: number;
}

export const inspectSqlite = async ({ file, driver: named }: SqliteFile): Promise<DatabaseFacts> => {
  const driver = await loadDriver(named);
  const disk = statfsSync(dirname(file));
  const log = `${file}-wal`;
  return {
    driver: `${driver.name} (SQLite ${driver.version})`,
    walBytes: existsSync(log) ? statSync(log).size : 0,
    freeBytes: disk.bavail * disk.bsize,
  };
};

/** What a server says about itself, with the time at which it did. */
const factsOf = async (read: Database["read"], driver: string, sql: string): Promise<DatabaseFacts> => {
  const asked = Date.now();
  const [row] = await read((session) => session.rows<{ now: number | string; version: string }>(sql));
  const answered = Date.now();
  return {
    driver: `${driver} (${row?.version})`,
    clockSkewMs: Math.round(Number(row?.now) - (asked + answered) / 2),
  };
};

export const inspectPostgres = ({ read }: Pick<Database, "read">): Promise<DatabaseFacts> =>
  factsOf(
    read,
    "pg",
    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint) AS now, 'PostgreSQL ' || current_setting('server_version') AS version",
  );

export const inspectMysql = ({ read }: Pick<Database, "read">): Promise<DatabaseFacts> =>
  factsOf(read, "mysql2", "SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now, VERSION() AS version");
