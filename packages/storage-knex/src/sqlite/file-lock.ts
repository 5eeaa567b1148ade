import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { SqliteHandle } from "./connection.ts";
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
  /** Whether to remove the file when the lock is released. */
  readonly remove: boolean;
}

const open = async (file: string, { waitMs, create }: FileLockOptions): Promise<SqliteHandle | undefined> => {
  const { default: sqlite } = await import("sqlite3");
  if (create) protectFile(file);
  const mode = sqlite.OPEN_READWRITE | (create ? sqlite.OPEN_CREATE : 0);
  return new Promise((resolve, reject) => {
    const handle = new sqlite.Database(file, mode, (error: (Error & { code?: string }) | null) => {
      if (error !== null && error.code === "SQLITE_CANTOPEN" && !create) resolve(undefined);
      else if (error !== null) reject(error);
      else {
        handle.configure("busyTimeout", waitMs);
        resolve(handle);
      }
    });
  });
};

const close = (handle: SqliteHandle): Promise<void> => new Promise((resolve) => handle.close(() => resolve()));

const lock = (handle: SqliteHandle): Promise<boolean> =>
  new Promise((resolve, reject) =>
    handle.exec("BEGIN EXCLUSIVE", (error: (Error & { code?: string }) | null) => {
      if (error === null) resolve(true);
      else if (error.code === "SQLITE_BUSY") resolve(false);
      else reject(error);
    }),
  );

/**
 * Takes the lock. `held` means that somebody else has it. `absent` means that there is no such file
 * and `create` is false.
 *
 * Only SQLite may open the file: all POSIX locks of a process on a file end when the process closes
 * any handle on it.
 */
export const takeFileLock = async (file: string, options: FileLockOptions): Promise<FileLock | "held" | "absent"> => {
  for (;;) {
    const handle = await open(file, options);
    if (handle === undefined) return "absent";
    if (!(await lock(handle))) {
      await close(handle);
      return "held";
    }
    // The process that had the lock before may have removed the file while we waited. Then we have
    // locked a file that is gone.
    if (existsSync(file)) return releasing(file, handle, options);
    await close(handle);
  }
};

const releasing = (file: string, handle: SqliteHandle, { remove }: FileLockOptions): FileLock => {
  let released: Promise<void> | undefined;
  return {
    release: () => {
      released ??= (remove ? rm(file, { force: true }) : Promise.resolve()).finally(() => close(handle));
      return released;
    },
  };
};
