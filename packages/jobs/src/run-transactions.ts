import type { Nesting } from "@postern/core";
import { nestedCall } from "@postern/core/internal";

/** Keeps the commit and the reads of one run apart. */
export interface RunTransactions {
  /** @throws TypeError if `name` may not begin now. */
  refuse(name: "commit" | "read"): void;
  /** Marks everything that `work` does or starts as inside of `name`, until `work` has ended. */
  inside<Result>(name: "commit" | "read", work: () => Promise<Result>): Promise<Result>;
}

/** `around` knows the other transactions of the application. */
export const transactionsOfRun = (around: Nesting | undefined): RunTransactions => {
  const open = { commit: 0, read: 0 };
  return {
    refuse: (name) => {
      if (name === "commit" && open.commit > 0) throw nestedCall(name);
      if (open.commit > 0) throw new TypeError("read was called inside commit: use the rows that commit gives");
      if (name === "commit" && open.read > 0) {
        throw new TypeError("commit was called before a read had ended: await the read, then commit");
      }
      around?.refuse(name);
    },
    inside: async (name, work) => {
      open[name] += 1;
      try {
        return await (around === undefined ? work() : around.inside(work));
      } finally {
        open[name] -= 1;
      }
    },
  };
};
