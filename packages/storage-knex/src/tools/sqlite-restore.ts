import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { BackupRefused } from "../engine/backup-refused.ts";
import { vendorErrorOf } from "../engine/translate-error.ts";
import { takeFileLock } from "../sqlite/file-lock.ts";
import { onSoleConnection, type SqliteFile } from "../sqlite/sole-connection.ts";
import { type BackupOptions, presentBackup, putInPlace, type RestoreFacts, watchingLength } from "./backup-file.ts";
import { checkCopy } from "./sqlite-backup.ts";

const inUse = (file: string): BackupRefused =>
  new BackupRefused("in_use", `a process uses ${file}; stop Postern first, then run this again. Nothing was changed`);

/** Whether no process has the file open. SQLite gives its exclusive lock only then. */
export const isUnused = async ({ file, driver }: SqliteFile): Promise<boolean> => {
  if (!existsSync(file)) return true;
  try {
    await onSoleConnection({ file, driver }, async (ask) => {
      await ask("PRAGMA locking_mode = EXCLUSIVE");
      await ask("SELECT COUNT(*) FROM sqlite_schema");
      // What its log still holds belongs to the file that is kept.
      await ask("PRAGMA wal_checkpoint(TRUNCATE)");
    });
  } catch (thrown) {
    const { code } = vendorErrorOf(thrown);
    if (code === "SQLITE_BUSY" || code === "SQLITE_LOCKED") return false;
    // A damaged database can be replaced.
    if (code !== "SQLITE_NOTADB" && code !== "SQLITE_CORRUPT") throw thrown;
  }
  return true;
};

/**
 * Moves a database out of the way with what is left of its logs, which SQLite would take for those of
 * the new file.
 */
const setAside = (file: string, former: string): void => {
  const left = ["-wal", "-shm", ""].filter((suffix) => existsSync(file + suffix));
  if (left.length > 0) for (const suffix of ["-wal", "-shm", ""]) rmSync(former + suffix, { force: true });
  for (const suffix of left) renameSync(file + suffix, former + suffix);
};

const isEmpty = (file: string): boolean => !existsSync(file) || statSync(file).size === 0;

/** See `restore`. */
export const restoreSqlite = async (
  { file, driver }: SqliteFile,
  backup: string,
  options: BackupOptions = {},
): Promise<RestoreFacts> => {
  const { replace = false } = options;
  const from = presentBackup(backup);
  if (existsSync(`${from}-wal`) && statSync(`${from}-wal`).size > 0) {
    throw new BackupRefused(
      "damaged",
      `${from} has a write-ahead log beside it, so it is no backup but a copy of a database in use. \`postern backup\` makes one whole file`,
    );
  }
  mkdirSync(dirname(file), { recursive: true });
  // A server that starts meanwhile waits for this lock before it opens the database.
  const lock = await takeFileLock(`${file}.migrating`, { waitMs: 0, create: true, remove: false, driver });
  if (typeof lock === "string") throw inUse(file);
  const copy = `${file}.restoring-${process.pid}`;
  try {
    const isReplaced = !isEmpty(file);
    if (isReplaced) {
      if (!(await isUnused({ file, driver }))) throw inUse(file);
      if (!replace) throw new BackupRefused("exists", `${file} holds a database already; nothing was changed`);
    }
    rmSync(copy, { force: true });
    const facts = await watchingLength(copy, options, async () => {
      await pipeline(createReadStream(from), createWriteStream(copy, { flags: "wx", mode: 0o600 }));
      return checkCopy({ file: copy, driver }, from);
    });
    const former = `${file}.before-restore`;
    setAside(file, former);
    putInPlace(copy, file);
    return { file, former: isReplaced ? former : undefined, ...facts };
  } finally {
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(copy + suffix, { force: true });
    await lock.release();
  }
};
