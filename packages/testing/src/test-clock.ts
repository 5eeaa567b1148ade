import { type VirtualClock, virtualClock } from "@postern/core/memory";

/** Resolves when the event loop has done what it has received by now. */
export const loopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * A clock that stands still until a test moves it. What waits for no time at all, such as for the
 * next turn of the event loop, does not need the test. `settle` runs before, between and after the
 * timers of a move.
 */
export const testClock = (startAt: number, settle: () => Promise<void>): VirtualClock => {
  const clock = virtualClock(startAt, { settle });
  return {
    ...clock,
    nextLoopTurn: loopTurn,
    after: (delayMs, run) => {
      if (delayMs > 0) return clock.after(delayMs, run);
      const immediate = setImmediate(run).unref();
      return () => clearImmediate(immediate);
    },
  };
};
