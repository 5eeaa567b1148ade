import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { BackupRefused } from "../engine/backup-refused.ts";
import { protectFile } from "../sqlite/private-file.ts";

export interface BackupOptions {
  /** Whether to replace what is there already. Default: false. */
  readonly replace?: boolean;
  /**
   * On a server: whether the backup is first put into a scratch database, and read there. Default: true.
   */
  readonly verify?: boolean;
  /** On a server: gets each command that is run, as a line for a shell without the password. */
  readonly onCommand?: (line: string) => void;
  /** Gets how long the copy is, once a second while it is made. */
  readonly onBytes?: (bytes: number) => void;
}

/** Tells how long a file is, once a second while `work` runs. */
export const watchingLength = async <Result>(
  file: string,
  { onBytes }: BackupOptions,
  work: () => Promise<Result>,
): Promise<Result> => {
  if (onBytes === undefined) return work();
  const tell = (): void => onBytes(statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const timer = setInterval(tell, 1_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    tell();
  }
};

/** What was found in a copy when it was checked. */
export interface CopyFacts {
  readonly bytes: number;
  /** The rows of each table. Empty if the copy was not checked. */
  readonly rows: Readonly<Record<string, number>>;
}

export interface BackupFacts extends CopyFacts {
  /** The full path of the backup. */
  readonly file: string;
}

export interface RestoreFacts extends CopyFacts {
  /** SQLite: the full path of the database. On a server: the name of the database. */
  readonly file: string;
  /** Where the former database is now, if there was one: a path, or the name of a database. */
  readonly former: string | undefined;
}

/** Writes what the file system still holds in memory. Only for a file that SQLite does not have open. */
const flush = (path: string): void => {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/** Gives a finished file its name, so that the name never leads to a part of a file. */
export const putInPlace = (file: string, target: string): void => {
  flush(file);
  renameSync(file, target);
  flush(dirname(target));
};

/**
 * Makes a backup under another name, and gives it its own when it is whole. `make` writes into `part`, an
 * empty file that nobody else can read, and returns what it found in it. `file` is its later name.
 * @throws BackupRefused if the target cannot be written, or must not be.
 */
export const makeBackup = async (
  target: string,
  options: BackupOptions,
  make: (part: string, file: string) => Promise<CopyFacts["rows"]>,
): Promise<BackupFacts> => {
  const { replace = false } = options;
  const file = resolve(target);
  if (!existsSync(dirname(file))) throw new BackupRefused("not_found", `there is no folder ${dirname(file)}`);
  if (existsSync(file) && !replace) throw new BackupRefused("exists", `${file} exists already; nothing was changed`);
  const part = `${file}.part-${process.pid}`;
  try {
    rmSync(part, { force: true });
    protectFile(part);
    const rows = await watchingLength(part, options, () => make(part, file));
    const bytes = statSync(part).size;
    putInPlace(part, file);
    return { file, bytes, rows };
  } finally {
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(part + suffix, { force: true });
  }
};

/** The full path of a backup. @throws BackupRefused if there is none. */
export const presentBackup = (backup: string): string => {
  const file = resolve(backup);
  if (!existsSync(file)) throw new BackupRefused("not_found", `there is no backup ${file}`);
  return file;
};
