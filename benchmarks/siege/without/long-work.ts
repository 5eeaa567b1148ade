import type { LongWork } from "../../../packages/core/src/long-work.ts";

/** All work runs to its end at once. */
export const createLongWork = (): LongWork => ({
  run: async (_network, work) => work(() => Promise.resolve()),
  finish: async (_network, steps) => {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  },
});
