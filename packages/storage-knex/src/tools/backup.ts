import { BackupRefused } from "../engine/backup-refused.ts";
import { parseDatabaseUrl } from "../engine/database-url.ts";
import { vendorErrorOf } from "../engine/translate-error.ts";
import type { BackupFacts, BackupOptions, RestoreFacts } from "./backup-file.ts";
import { backUpServer, restoreServer } from "./dump/server-backup.ts";
import { backUpSqlite } from "./sqlite-backup.ts";
import { restoreSqlite } from "./sqlite-restore.ts";

const full = new Set(["SQLITE_FULL", "ENOSPC"]);

const sayingFull = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (thrown) {
    if (!full.has(vendorErrorOf(thrown).code)) throw thrown;
    throw new BackupRefused("disk_full", "the disk was full before the copy was complete; nothing was changed");
  }
};

/**
 * Copies a database into the file `target` while it is used. The copy is one moment of the database, and
 * it is complete on disk when this resolves. It also ends under steady writes.
 *
 * A server's own programs make the copy: `pg_dump` in its custom format, or `mariadb-dump` or `mysqldump`,
 * compressed by gzip. They must be installed here. The copy is put into a scratch database beside the
 * database, every row of it is read, and the scratch database is dropped. On PostgreSQL, its rows are
 * compared with those of the same moment.
 * @throws BackupRefused; AppError `unavailable` when the server does not answer; TypeError for an invalid
 *   URL.
 */
export const backUp = async (url: string, target: string, options?: BackupOptions): Promise<BackupFacts> => {
  const address = parseDatabaseUrl(url);
  return sayingFull(
    address.kind === "sqlite" ? backUpSqlite(address, target, options) : backUpServer(url, address, target, options),
  );
};

/**
 * Puts a backup in the place of a database. Nothing may use that database meanwhile. With `replace`, a
 * database that is there is kept beside the new one.
 *
 * On a server, the backup is first put into a scratch database and read there, so that a damaged one
 * changes nothing. Then it gets the place of the database at once. With `verify: false` it is put into the
 * database itself, which must have no tables; on MySQL and MariaDB, a failure leaves a part of it there.
 * @throws BackupRefused; AppError `unavailable` when the server does not answer; TypeError for an invalid
 *   URL.
 */
export const restore = async (url: string, backup: string, options?: BackupOptions): Promise<RestoreFacts> => {
  const address = parseDatabaseUrl(url);
  return sayingFull(
    address.kind === "sqlite" ? restoreSqlite(address, backup, options) : restoreServer(url, address, backup, options),
  );
};
