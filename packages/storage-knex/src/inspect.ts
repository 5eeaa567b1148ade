import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "./database.ts";

/**
 * Facts about the database for operators, apart from its tables. A member is absent if it does not
 * apply to this kind of database.
 */
export interface DatabaseFacts {
  /**
   * SQLite: the size of the write-ahead log. One that keeps growing has a reader that never ends.
   */
  readonly walBytes?: number;
  /** SQLite: room left on the file's disk. */
  readonly freeBytes?: number;
  /** MySQL/MariaDB: how far the server's clock is ahead of ours, in milliseconds. */
  readonly clockSkewMs?: number;
}

export const inspectSqlite = (file: string): DatabaseFacts => {
  const disk = statfsSync(dirname(file));
  const log = `${file}-wal`;
  return { walBytes: existsSync(log) ? statSync(log).size : 0, freeBytes: disk.bavail * disk.bsize };
};

export const inspectMysql = async ({ read }: Pick<Database, "read">): Promise<DatabaseFacts> => {
  const asked = Date.now();
  const [row] = await read((session) =>
    session.rows<{ now: number | string }>("SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now"),
  );
  const answered = Date.now();
  return { clockSkewMs: Math.round(Number(row?.now) - (asked + answered) / 2) };
};
