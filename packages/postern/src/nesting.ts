import { AsyncLocalStorage } from "node:async_hooks";

/** Refuses what would wait for the transaction that it is called in, or be committed apart from it. */
export interface Nesting {
  /** @throws TypeError inside `work` of `inside`; `name` is the function that was called. */
  refuse(name: string): void;
  /** Marks everything that `work` does or starts as inside, until `work` has ended. */
  inside<Result>(work: () => Promise<Result>): Promise<Result>;
}

export const createNesting = (): Nesting => {
  const current = new AsyncLocalStorage<{ over: boolean }>();
  let open = 0;
  return {
    refuse: (name) => {
      if (current.getStore()?.over !== false) return;
      throw new TypeError(
        `${name} was called inside a transaction, and would not be part of it: use the \`tx\` that your work is given`,
      );
    },
    inside: async (work) => {
      const mark = { over: false };
      open += 1;
      try {
        return await current.run(mark, work);
      } finally {
        mark.over = true;
        open -= 1;
        // Up to Node 22, all promises of the process are tracked for it: small writes take half as long again.
        if (open === 0) current.disable();
      }
    },
  };
};
