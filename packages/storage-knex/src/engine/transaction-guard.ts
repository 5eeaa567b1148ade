import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Detects a write to the outer storage from inside a transaction's work. On SQLite such a write
 * would wait for the very transaction that makes it. On MySQL it may wait for that transaction's
 * locks. Both look like a slow database, so the write is refused at once with a clear message, on
 * every database.
 */
export interface TransactionGuard {
  /** @throws Error inside a transaction's work. */
  refuseNested(): void;
  /** Marks everything that `work` does or starts as inside, until `work` has ended. */
  inside<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * Detects nothing. To follow a transaction's work, Node must track every promise of the process,
 * which takes a third of the speed of small writes.
 */
const noGuard: TransactionGuard = { refuseNested: () => undefined, inside: (work) => work() };

export const transactionGuard = (on: boolean): TransactionGuard => {
  if (!on) return noGuard;
  const current = new AsyncLocalStorage<{ over: boolean }>();
  return {
    refuseNested: () => {
      if (current.getStore()?.over !== false) return;
      throw new Error(
        "the storage was written to from inside a transaction's work, which would wait for itself: use the stores that the work is given",
      );
    },
    inside: async (work) => {
      const mark = { over: false };
      try {
        return await current.run(mark, work);
      } finally {
        mark.over = true;
      }
    },
  };
};
