import type { Ports } from "@postern/core";
import type { ReadIn } from "@postern/core/internal";
import { newAbortController } from "@postern/core/internal";
import type { HandlerContext } from "./handler-context.ts";
import type { RunTransactions } from "./run-transactions.ts";

/** How long one read may take. It keeps a connection, and what it sees cannot be cleared away. */
const longestReadMs = 5_000;
const tooLong = `a read took longer than ${longestReadMs} ms: only read in it, and call services after it`;

/** The reads of one run. */
export const createRead =
  (
    { storage, clock }: Pick<Ports, "storage" | "clock">,
    readIn: ReadIn,
    transactions: () => RunTransactions,
  ): HandlerContext["read"] =>
  async (work) => {
    const { refuse, inside } = transactions();
    refuse("read");
    const ending = newAbortController();
    let stop = (): void => undefined;
    try {
      return await inside("read", () =>
        storage.snapshot((resources, own) => {
          // It may begin again.
          stop();
          stop = clock.after(longestReadMs, () => ending.abort(new Error(tooLong)));
          const tx = readIn(resources, own);
          return work(tx.rows, tx);
        }, ending.signal),
      );
    } finally {
      stop();
    }
  };
