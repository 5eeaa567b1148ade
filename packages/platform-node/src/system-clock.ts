import { performance } from "node:perf_hooks";
import type { Clock } from "@postern/core/ports";

/** The longest delay `setTimeout` takes; it turns a longer one into 1 ms. */
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * The machine's own time. Timers may be months long, never fire early and never keep the process
 * alive.
 */
export const systemClock = (): Clock => ({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, run) => {
    const due = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    // Node's timers count whole milliseconds of the event loop's own clock and may be a fraction
    // early; then wait for the rest.
    const wait = (remainingMs: number): void => {
      timer = setTimeout(
        () => {
          const rest = due - performance.now();
          if (rest > 0) wait(rest);
          else run();
        },
        Math.min(Math.ceil(remainingMs), longestTimeoutMs),
      );
      timer.unref();
    };
    wait(Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
  nextLoopTurn: () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    }),
});
