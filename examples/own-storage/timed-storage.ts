import type { StorageAdapter } from "@postern/core";

/** Another storage, with a word about each transaction that takes `slowMs` or longer. */
export const timedStorage = (
  inner: StorageAdapter,
  { slowMs, tell }: { readonly slowMs: number; readonly tell: (ms: number) => void },
): StorageAdapter => ({
  ...inner,
  storage: {
    ...inner.storage,
    transaction: async (work, network) => {
      const from = performance.now();
      try {
        return await inner.storage.transaction(work, network);
      } finally {
        const ms = performance.now() - from;
        if (ms >= slowMs) tell(ms);
      }
    },
  },
});
