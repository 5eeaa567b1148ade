import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { SqliteDriverName } from "../engine/driver-names.ts";
import { vendorErrorOf } from "../engine/translate-error.ts";
import type { SqliteConnection } from "./driver/driver.ts";
import { loadDriver } from "./driver/load-driver.ts";
import { protectFile } from "./private-file.ts";

/**
 * A lock that ends when the process ends, in whatever way. It is SQLite's exclusive lock on an
 * empty file.
 */
export interface FileLock {
  /** Ends the lock. A second call does nothing. */
  release(): Promise<void>;
}

export interface FileLockOptions {
  /** How long to wait until another holder releases the lock. */
  readonly waitMs: number;
  /**
   * Whether to make the file. If a lock's file is removed on release, only one of those who take
   * the lock may make it. Otherwise two could each lock a file of their own.
   */
  readonly create: boolean;
  /** Default: the first that works. */
  readonly driver?: SqliteDriverName | undefined;
  /** Whether to remove the file when the lock is released. */
  readonly remove: boolean;
}

const open = async (
  file: string,
  { waitMs, create, driver: name }: FileLockOptions,
): Promise<SqliteConnection | undefined> => {
  const driver = await loadDriver(name);
  if (create) protectFile(file);
  try {
    const connection = await driver.open(file, { create });
    await connection.all(`PRAGMA busy_timeout = ${waitMs}`);
    return connection;
  } catch (thrown) {
    if (vendorErrorOf(thrown).code === "SQLITE_CANTOPEN" && !create) return undefined;
    throw thrown;
  }
};

const lock = async (connection: SqliteConnection): Promise<boolean> => {
  try {
    await connection.run("BEGIN EXCLUSIVE");
    return true;
  } catch (thrown) {
    if (vendorErrorOf(thrown).code === "SQLITE_BUSY") return false;
    throw thrown;
  }
};

/**
 * Takes the lock. `held` means that somebody else has it. `absent` means that there is no such file
 * and `create` is false.
 *
 * Only SQLite may open the file: all POSIX locks of a process on a file end when the process closes
 * any handle on it.
 */
export const takeFileLock = async (file: string, options: FileLockOptions): Promise<FileLock | "held" | "absent"> => {
  for (;;) {
    const connection = await open(file, options);
    if (connection === undefined) return "absent";
    if (!(await lock(connection))) {
      await connection.close();
      return "held";
    }
    // The process that had the lock before may have removed the file while we waited. Then we have
    // locked a file that is gone.
    if (existsSync(file)) return releasing(file, connection, options);
    await connection.close();
  }
};

const releasing = (file: string, connection: SqliteConnection, { remove }: FileLockOptions): FileLock => {
  let released: Promise<void> | undefined;
  return {
    release: () => {
      released ??= (remove ? rm(file, { force: true }) : Promise.resolve()).finally(() => connection.close());
      return released;
    },
  };
};
