import { existsSync, mkdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Knex } from "knex";
import { usingPool } from "../engine/opened-pool.ts";
import { unavailable, vendorErrorOf } from "../engine/translate-error.ts";
import type { MigrationPlace } from "../schema/migrate.ts";
import { sqliteTypes } from "../schema/migrations/column-types.ts";
import type { SqliteSettings } from "./connection.ts";
import { type FileLock, takeFileLock } from "./file-lock.ts";
import { explained } from "./place-fault.ts";
import { sqlitePool } from "./pool.ts";
import { protectFile } from "./private-file.ts";

/** How long a migration waits for another one, and each of its statements for another process's writes. */
const waitMs = 60_000;
/** It says so often what it waits for. */
const sliceMs = 2_000;

/**
 * Tries again until `attempt`, which waits for as long as it is told, gives something.
 * @throws AppError `unavailable` after a minute.
 */
const untilFree = async <Result>(
  what: string,
  tell: (text: string) => void,
  attempt: (ms: number) => Promise<Result | undefined>,
): Promise<Result> => {
  const until = performance.now() + waitMs;
  for (;;) {
    const found = await attempt(sliceMs);
    if (found !== undefined) return found;
    if (performance.now() >= until) throw unavailable(new Error(`waited a minute for ${what}`));
    tell(`waiting for ${what}`);
  }
};

/** @throws AppError `unavailable` where no process can lock a file, so that each lock looks as if others had it. */
const requireLocks = async (file: string, driver: SqliteSettings["driver"]): Promise<void> => {
  const probe = `${file}.locks-${process.pid}`;
  const lock = await takeFileLock(probe, { waitMs: 0, create: true, remove: true, driver });
  if (typeof lock !== "string") return lock.release();
  rmSync(probe, { force: true });
  throw unavailable(
    new Error(
      `the file system of ${dirname(file)} takes no locks (ENOLCK), without which two processes would damage the database: keep it on a local disk`,
    ),
  );
};

/** A lock that keeps other migrations away. */
const lockOf = (file: string, { driver }: SqliteSettings, tell: (text: string) => void): Promise<FileLock> =>
  untilFree("another process, which migrates the database", tell, async (ms) => {
    const lock = await takeFileLock(`${file}.migrating`, { waitMs: ms, create: true, remove: false, driver });
    if (typeof lock !== "string") return lock;
    await requireLocks(file, driver);
    return undefined;
  });

/** Waits until this connection may write, and then lets each of its statements wait as long. */
const untilWritable = async (file: string, knex: Knex, tell: (text: string) => void): Promise<void> => {
  await untilFree(`another process, which holds the lock of ${file}`, tell, async () => {
    try {
      await knex.raw(`PRAGMA busy_timeout = ${sliceMs}`);
      await knex.raw("BEGIN IMMEDIATE");
      await knex.raw("ROLLBACK");
      return true;
    } catch (thrown) {
      if (!vendorErrorOf(thrown).code.startsWith("SQLITE_BUSY")) throw thrown;
      return undefined;
    }
  });
  await knex.raw(`PRAGMA busy_timeout = ${waitMs}`);
};

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
export const sqliteMigrations = (
  file: string,
  settings: SqliteSettings,
  tell: (text: string) => void = () => undefined,
): MigrationPlace => ({
  tryOnCopy: (scripts) => tryOnCopy(file, settings, scripts),
  untilWritable: (knex) => untilWritable(file, knex, tell),
  exclusively: async (action) => {
    mkdirSync(dirname(file), { recursive: true });
    let lock: FileLock | undefined;
    try {
      lock = await lockOf(file, settings, tell);
      return await withKnex(file, { ...settings, busyMs: waitMs, openingBusyMs: sliceMs }, (knex) =>
        action(knex, sqliteTypes),
      );
    } catch (thrown) {
      throw explained(thrown, file);
    } finally {
      await lock?.release();
    }
  },
  look: async (action) => {
    if (!existsSync(file)) return action({ types: sqliteTypes });
    return withKnex(file, settings, (knex) => action({ types: sqliteTypes, knex }));
  },
});
