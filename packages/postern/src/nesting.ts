import { AsyncLocalStorage } from "node:async_hooks";
import type { Nesting } from "@postern/core";
import { nestedCall } from "@postern/core/internal";

/** Follows each transaction through everything that its work awaits. */
export const createNesting = (): Nesting => {
  const current = new AsyncLocalStorage<{ over: boolean }>();
  let open = 0;
  return {
    refuse: (name) => {
      if (current.getStore()?.over === false) throw nestedCall(name);
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
