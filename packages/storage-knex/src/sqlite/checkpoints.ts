import type { SqliteSettings } from "./connection.ts";
import type { OpenedFile } from "./opened-file.ts";
import { sqlitePool } from "./pool.ts";

/** So many commits after the last checkpoint, the next one begins. */
const commitsBetween = 16;

/**
 * Copies the write-ahead log into the database file, on a connection of its own.
 *
 * SQLite itself makes a checkpoint as part of a commit, when the log has thousands of pages: then
 * this write, and all that wait behind it, wait until they are copied and flushed. Here most of them
 * are copied beforehand. Writers and readers need not wait for that.
 *
 * SQLite's own checkpoint stays as it is: while there are always further commits, only the writer
 * itself can copy the very last page, after which the log starts anew.
 */
export const sqliteCheckpoints = (file: string, settings: SqliteSettings, opened?: OpenedFile) => {
  const pool = sqlitePool(file, 1, settings, opened);
  let commits = 0;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    const connection = await pool.acquire();
    try {
      // Copies up to the oldest state that is still read, and waits for nobody. It does nothing while another
      // checkpoint is under way.
      await connection.all("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      await pool.discard(connection);
      return;
    }
    await pool.release(connection);
  };

  return {
    /** Notes a commit. After some of them a checkpoint begins, and nobody waits for it. */
    note: (): void => {
      commits += 1;
      if (commits < commitsBetween || running !== undefined) return;
      commits = 0;
      running = run()
        // For example, the disk is full. The writer meets the same fault and reports it.
        .catch(() => undefined)
        .finally(() => {
          running = undefined;
        });
    },
    /** Resolves when no checkpoint is under way and the connection is closed. */
    close: async (): Promise<void> => {
      await running;
      await pool.close();
    },
  };
};
