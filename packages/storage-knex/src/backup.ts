import { type DatabaseAddress, parseDatabaseUrl } from "./database-url.ts";
import { type BackupFacts, type BackupOptions, BackupRefused, backUpSqlite } from "./sqlite/backup.ts";
import { type RestoreFacts, restoreSqlite } from "./sqlite/restore.ts";
import type { SqliteFile } from "./sqlite/sole-connection.ts";
import { vendorErrorOf } from "./translate-error.ts";

/** How to copy a database on a server, and how to put the copy back. */
const toolsFor = (address: Exclude<DatabaseAddress, { kind: "sqlite" }>): string =>
  address.kind === "postgres"
    ? `pg_dump --format=custom ${address.database} to back it up, and pg_restore --clean --if-exists`
    : `mariadb-dump --single-transaction ${address.database} or mysqldump --single-transaction ${address.database} to back it up, and mariadb or mysql`;

/** @throws BackupRefused for a database on a server, with the tool to use. */
const fileOf = (url: string): SqliteFile => {
  const address = parseDatabaseUrl(url);
  if (address.kind === "sqlite") return address;
  throw new BackupRefused(
    "not_sqlite",
    `this database is on a server of its own. Use ${toolsFor(address)} to restore it. Keep POSTERN_SECRET_KEY as well, in another place: without it stored secrets cannot be opened`,
  );
};

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
 * Copies a SQLite database into `target` while it is used. The copy is one moment of the database,
 * it is checked, and it is complete on disk when this resolves. It also ends under steady writes.
 * @throws BackupRefused; TypeError for an invalid URL.
 */
export const backUp = async (url: string, target: string, options?: BackupOptions): Promise<BackupFacts> =>
  sayingFull(backUpSqlite(fileOf(url), target, options));

/**
 * Puts a backup in the place of a SQLite database. Nothing may use that database meanwhile. With
 * `replace`, a database that is there is kept beside the new one.
 * @throws BackupRefused; TypeError for an invalid URL.
 */
export const restore = async (url: string, backup: string, options?: BackupOptions): Promise<RestoreFacts> =>
  sayingFull(restoreSqlite(fileOf(url), backup, options));
