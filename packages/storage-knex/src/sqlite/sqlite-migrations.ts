import { existsSync, mkdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Knex } from "knex";
import type { MigrationPlace } from "../migrate.ts";
import { sqliteTypes } from "../migrations/column-types.ts";
import { usingPool } from "../opened-pool.ts";
import { unavailable } from "../translate-error.ts";
import type { SqliteSettings } from "./connection.ts";
import { takeFileLock } from "./file-lock.ts";
import { sqlitePool } from "./pool.ts";
import { protectFile } from "./private-file.ts";

/** How long a migration waits for another one, and each of its statements for another process's writes. */
const waitMs = 60_000;

/**
 * The largest file that is copied, in bytes. Copies of larger files take too long for their use.
 */
const largestCopy = 1024 ** 3;

/** Runs `work` on a connection of its own. */
const withKnex = <Result>(file: string, settings: SqliteSettings, work: (knex: Knex) => Promise<Result>) =>
  usingPool(sqlitePool(file, 1, settings), work);

const runsOn = async (copy: Knex, script: readonly string[]): Promise<boolean> => {
  try {
    for (const statement of script) await copy.raw(statement);
    return true;
  } catch {
    // If the script had begun a transaction, this leaves the copy as it was.
    await copy.raw("ROLLBACK").catch(() => undefined);
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
    rmSync(copied, { force: true });
    // Makes an empty file that nobody else can read. SQLite accepts it as the target.
    protectFile(copied);
    await withKnex(file, settings, (knex) => knex.raw("VACUUM INTO ?", [copied]));
    return await withKnex(copied, { synchronous: "NORMAL", driver: settings.driver }, async (copy) => {
      const works: boolean[] = [];
      for (const script of scripts) works.push(await runsOn(copy, script));
      return works;
    });
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
    try {
      return await withKnex(file, { ...settings, busyMs: waitMs }, (knex) => action(knex, sqliteTypes));
    } finally {
      await lock.release();
    }
  },
  look: async (action) => {
    if (!existsSync(file)) return action({ types: sqliteTypes });
    return withKnex(file, settings, (knex) => action({ types: sqliteTypes, knex }));
  },
});
