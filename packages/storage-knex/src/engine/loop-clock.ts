import type { Clock } from "@postern/core/ports";

/**
 * A clock for waits that end when the event loop has had its time. An action that is due at once
 * runs after the events that the loop has already received, such as the end of a statement.
 */
export const loopClock: Pick<Clock, "monotonic" | "after"> = {
  monotonic: () => performance.now(),
  after: (delayMs, run) => {
    if (delayMs === 0) {
      const immediate = setImmediate(run);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
