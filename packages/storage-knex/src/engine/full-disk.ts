import { AppError } from "@postern/core";
import type { OpenDatabase } from "./open-database.ts";

const isFull = (thrown: unknown): boolean => thrown instanceof AppError && thrown.code === "storage_full";

/** With less, a small write may find room in a file while a webhook does not. */
const leastFreeBytes = 1024 * 1024;

/**
 * Remembers that the disk of the database is full, from a write that failed until one succeeds and there is
 * room for a webhook. Reads and small writes may go on meanwhile, so nothing else shows that webhooks are
 * refused. `freeBytes` is `undefined` where that is not known.
 */
export const notingFullDisk = (
  database: OpenDatabase,
  freeBytes: () => Promise<number | undefined>,
): { readonly database: OpenDatabase; readonly disk: { readonly isFull: boolean } } => {
  const disk = { isFull: false };
  const noting = async <Result>(writing: Promise<Result>): Promise<Result> => {
    try {
      const result = await writing;
      if (disk.isFull) {
        const free = await freeBytes().catch(() => undefined);
        disk.isFull = free !== undefined && free < leastFreeBytes;
      }
      return result;
    } catch (thrown) {
      disk.isFull ||= isFull(thrown);
      throw thrown;
    }
  };
  return {
    disk,
    database: {
      ...database,
      write: (work) => noting(database.write(work)),
      transaction: (work, network) => noting(database.transaction(work, network)),
    },
  };
};
