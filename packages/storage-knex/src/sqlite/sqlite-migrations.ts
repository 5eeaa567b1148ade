import { existsSync, mkdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { MigrationPlace } from "../migrate.ts";
import { sqliteTypes } from "../migrations/column-types.ts";
import { unavailable } from "../translate-error.ts";
import type { SqliteSettings } from "./connection.ts";
import { takeFileLock } from "./file-lock.ts";
import { type SqlitePool, sqlitePool } from "./pool.ts";
import { protectFile } from "./private-file.ts";

/** How long a migration waits for another one, and each of its statements for another process's writes. */
const waitMs = 60_000;

/**
 * The largest file that is copied, in bytes. Copies of larger files take too long for their use.
 */
const largestCopy = 1024 ** 3;

const runsOn = async (copy: SqlitePool, script: readonly string[]): Promise<boolean> => {
  try {
    for (const statement of script) await copy.knex.raw(statement);
    return true;
  } catch {
    // If the script had begun a transaction, this leaves the copy as it was.
    await copy.knex.raw("ROLLBACK").catch(() => undefined);
    return false;
  }
};

/** Tells which of the scripts work on a copy of the file; none if there is no room for a copy. */
const tryOnCopy = async (
  file: string,
  settings: SqliteSettings,
  scripts: readonly (readonly string[])[],
): Promise<readonly boolean[]> => {
  const { size } = statSync(file);
  const disk = statfsSync(dirname(file));
  if (size > largestCopy || disk.bavail * disk.bsize < 3 * size) return scripts.map(() => false);
  const copied = `${file}.trial-${process.pid}`;
  try {
    const pool = sqlitePool(file, 1, settings);
    try {
      rmSync(copied, { force: true });
      // Makes an empty file that nobody else can read. SQLite accepts it as the target.
      protectFile(copied);
      await pool.knex.raw("VACUUM INTO ?", [copied]);
    } finally {
      await pool.close();
    }
    const copy = sqlitePool(copied, 1, { synchronous: "NORMAL", driver: settings.driver });
    try {
      const works: boolean[] = [];
      for (const script of scripts) works.push(await runsOn(copy, script));
      return works;
    } finally {
      await copy.close();
    }
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${copied}${suffix}`, { force: true });
  }
};

/**
 * Migrations of a SQLite file. A lock file beside the database keeps other processes out, and all
 * steps run in one transaction.
 */
export const sqliteMigrations = (file: string, settings: SqliteSettings): MigrationPlace => ({
  tryOnCopy: (scripts) => tryOnCopy(file, settings, scripts),
  exclusively: async (action) => {
    mkdirSync(dirname(file), { recursive: true });
    const lock = await takeFileLock(`${file}.migrating`, {
      waitMs,
      create: true,
      remove: false,
      driver: settings.driver,
    });
    if (typeof lock === "string") throw unavailable(new Error("another process has been migrating for a minute"));
    const pool = sqlitePool(file, 1, { ...settings, busyMs: waitMs });
    try {
      return await action(pool.knex, sqliteTypes);
    } finally {
      await pool.close();
      await lock.release();
    }
  },
  look: async (action) => {
    if (!existsSync(file)) return action({ types: sqliteTypes });
    const pool = sqlitePool(file, 1, settings);
    try {
      return await action({ types: sqliteTypes, knex: pool.knex });
    } finally {
      await pool.close();
    }
  },
});
