import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { SqliteHandle } from "./connection.ts";
import { protectFile } from "./private-file.ts";

/** A lock that ends with the process, however it ends: SQLite's exclusive lock on a file that holds nothing. */
export interface FileLock {
  /** Ends the lock. Doing it twice does nothing. */
  release(): Promise<void>;
}

export interface FileLockOptions {
  /** How long to wait for another to let go. */
  readonly waitMs: number;
  /** Whether to make the file. Of all who take one lock and remove its file, only one may: else two could lock a file each. */
  readonly create: boolean;
  /** Whether the file goes with the lock. */
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
 * Takes the lock. `held`: somebody else keeps it. `absent`: there is no such file, and it was not to be made.
 *
 * The file is only ever opened by SQLite: POSIX locks of a process end when it closes any handle on the file.
 */
export const takeFileLock = async (file: string, options: FileLockOptions): Promise<FileLock | "held" | "absent"> => {
  for (;;) {
    const handle = await open(file, options);
    if (handle === undefined) return "absent";
    if (!(await lock(handle))) {
      await close(handle);
      return "held";
    }
    // The process that had the lock before may have removed the file while we waited: then ours is a lock on nothing.
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
