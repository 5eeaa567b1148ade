import { chmodSync, closeSync, openSync, statSync } from "node:fs";

const ownerOnly = 0o600;
const others = 0o007;

const isCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && "code" in thrown && thrown.code === code;

/**
 * Makes sure that other users of the machine cannot read a database. A new file belongs to its owner alone (0600), and SQLite gives its
 * `-wal` and `-shm` the same mode. A file that is there loses the rights of others; those of its group stay as the operator has set them.
 * Called before SQLite opens the file.
 */
export const protectFile = (file: string): void => {
  try {
    // Only ever opens a file that it has just made: closing any handle on a file ends all POSIX locks of the process on it.
    closeSync(openSync(file, "wx", ownerOnly));
  } catch (thrown) {
    // Whatever else stands in the way, SQLite meets it too, and says so in the usual words.
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
