import { realpathSync, statSync } from "node:fs";
import { storeReplaced } from "../engine/replaced-store.ts";
import type { SqliteConnection } from "./driver/driver.ts";

/** How long a look at the file is relied on where no commit is acknowledged. */
const reliedOnMs = 1_000;

/** The device and inode that a path leads to; `undefined` if it leads to nothing. */
const identityOf = (path: string): string | undefined => {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? undefined : `${found.dev}:${found.ino}`;
  } catch {
    // The folder may not be entered any more, or the file system is gone.
    return undefined;
  }
};

/** SQLite keeps its logs beside the file itself, even if the path is a link to it. */
const besides = ["-wal", "-shm"] as const;

/**
 * Compares the database file with the one that was opened first. On POSIX systems a program goes on
 * writing to a file that was removed or replaced, and nobody finds what it wrote after a restart. `now`
 * gives the milliseconds of a clock that never goes back.
 */
export const openedFile = (file: string, now: () => number = () => performance.now()) => {
  let opened: string | undefined;
  let writer: SqliteConnection | undefined;
  /** Those of the connection that writes. Connections that are opened later do not change them. */
  let logs: readonly { readonly path: string; readonly identity: string }[] = [];
  let sameUntil = Number.NEGATIVE_INFINITY;
  let refusal: Error | undefined;

  /** The connection that writes may be lost; if it was the last one, SQLite itself has removed its logs. */
  const lostLog = () =>
    writer?.isLost === true ? undefined : logs.find(({ path, identity }) => identityOf(path) !== identity);

  /**
   * Call it before a connection is opened, which would make a file that is missing, and before a
   * commit is acknowledged.
   * @throws AppError `unavailable`, see `storeReplaced`.
   */
  const requireSame = (): void => {
    if (refusal !== undefined) throw refusal;
    if (opened === undefined) return;
    const found = identityOf(file);
    if (found !== opened) {
      sameUntil = Number.NEGATIVE_INFINITY;
      const what = found === undefined ? "is gone" : "was replaced by another one";
      throw storeReplaced(
        `the database file ${file} ${what} while it was open, so nothing is accepted. Stop every process of Postern, put the file back with its -wal, or restore a backup, then start again`,
      );
    }
    const lost = lostLog();
    if (lost !== undefined) {
      sameUntil = Number.NEGATIVE_INFINITY;
      throw storeReplaced(
        `${lost.path}, a part of the database, was removed or replaced while it was open, so nothing is accepted. Put it back. If that is not possible, start Postern again: the newest commits may be missing`,
      );
    }
    sameUntil = now() + reliedOnMs;
  };

  return {
    /** Whether a connection has been opened already. */
    get isKnown(): boolean {
      return opened !== undefined;
    },
    /** Call it when a connection is open. The first one decides which file is the right one. */
    admit: (): void => {
      if (opened === undefined) opened = identityOf(file);
      else requireSame();
    },
    /** Notes the logs of the connection that writes. `undefined` when it is closed. */
    writesOn: (connection: SqliteConnection | undefined): void => {
      if (connection === writer) return;
      const lost = lostLog();
      writer = connection;
      if (lost !== undefined) return;
      if (connection === undefined) {
        logs = [];
        return;
      }
      const real = realpathSync(file);
      logs = besides.flatMap((suffix) => {
        const identity = identityOf(real + suffix);
        return identity === undefined ? [] : [{ path: real + suffix, identity }];
      });
    },
    requireSame,
    /** From now on nothing is accepted. */
    refuse: (reason: Error): void => {
      refusal = reason;
      sameUntil = Number.NEGATIVE_INFINITY;
    },
    /** The same, but at most one look in a second. */
    requireRecentlySame: (): void => {
      if (now() >= sameUntil) requireSame();
    },
  };
};

export type OpenedFile = ReturnType<typeof openedFile>;
