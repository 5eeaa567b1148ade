import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Notices a write of the outer storage from inside a transaction's work. On SQLite it would wait for the very transaction it is called from,
 * on MySQL it may wait for its locks; both look like a slow database, so it is refused at once, in words, on every database.
 */
export interface TransactionGuard {
  /** @throws Error inside a transaction's work. */
  refuseNested(): void;
  /** Marks what `work` does, and all that it starts, as inside, until it has ended. */
  inside<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Notices nothing. To follow a transaction's work, Node has to note down every promise that the process makes: a third of the speed of small writes. */
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
