import { chmodSync, closeSync, openSync, statSync } from "node:fs";

const ownerOnly = 0o600;
const others = 0o007;

/** In Jest it is no `Error` of ours: Node's modules are of another realm. */
const isCode = (thrown: unknown, code: string): boolean => Object(thrown).code === code;

/**
 * Makes sure that other users of the machine cannot read a database. A new file belongs to its
 * owner alone (0600), and SQLite gives its `-wal` and `-shm` the same mode. An existing file loses
 * the rights of others; those of its group stay as the operator has set them. Called before SQLite
 * opens the file.
 */
export const protectFile = (file: string): void => {
  try {
    // This opens only a file that it has just made. To close any handle on a file ends all POSIX
    // locks of the process on it.
    closeSync(openSync(file, "wx", ownerOnly));
  } catch (thrown) {
    // SQLite meets any other problem, too, and reports it with its usual error.
    if (!isCode(thrown, "EEXIST")) return;
    const { mode } = statSync(file);
    if ((mode & others) === 0) return;
    try {
      chmodSync(file, mode & ~others & 0o777);
    } catch (refused) {
      // The file belongs to another user, who sets its mode.
      if (!isCode(refused, "EPERM")) throw refused;
    }
  }
};
