import type { ClosableLiveness } from "../engine/open-database.ts";
import { type FileLock, takeFileLock } from "./file-lock.ts";
import type { SqliteFile } from "./sole-connection.ts";

/**
 * Keeps one file for each runner beside the database. It is locked exclusively for as long as the
 * process lives.
 */
export const sqliteLiveness = ({ file: databaseFile, driver }: SqliteFile): ClosableLiveness => {
  const fileOf = (runnerId: number): string => `${databaseFile}.runner-${runnerId}`;
  const held = new Map<number, FileLock>();

  return {
    hold: async (runnerId) => {
      // Another process may be checking it at this moment, so wait a little.
      const lock = await takeFileLock(fileOf(runnerId), { waitMs: 1000, create: true, remove: true, driver });
      if (typeof lock === "string") throw new Error(`the lock of runner ${runnerId} is held already`);
      held.set(runnerId, lock);
      return {
        release: async () => {
          held.delete(runnerId);
          await lock.release();
        },
      };
    },
    isHeld: async (runnerId) => {
      const lock = await takeFileLock(fileOf(runnerId), { waitMs: 0, create: false, remove: true, driver });
      if (lock === "absent") return false;
      if (lock === "held") return true;
      // Its process is gone, so remove the file that it left.
      await lock.release();
      return false;
    },
    close: async () => {
      await Promise.all([...held.values()].map((lock) => lock.release()));
      held.clear();
    },
  };
};
