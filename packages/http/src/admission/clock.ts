import type { Clock } from "@postern/core/parts";

/** The time of every runtime that has `fetch`. */
export const clock: Pick<Clock, "monotonic" | "after"> = {
  monotonic: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
