import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Notices a write of the outer storage from inside a transaction's work. On SQLite it would wait for the very transaction it is called from,
 * on MySQL it may wait for its locks; both look like a slow database, so it is refused at once, in words, on every database.
 */
export const transactionGuard = () => {
  const current = new AsyncLocalStorage<{ over: boolean }>();
  return {
    /** @throws Error inside a transaction's work. */
    refuseNested: (): void => {
      if (current.getStore()?.over !== false) return;
      throw new Error(
        "the storage was written to from inside a transaction's work, which would wait for itself: use the stores that the work is given",
      );
    },
    /** Marks what `work` does, and all that it starts, as inside, until it has ended. */
    inside: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const mark = { over: false };
      try {
        return await current.run(mark, work);
      } finally {
        mark.over = true;
      }
    },
  };
};
