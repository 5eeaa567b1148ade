import type { Clock } from "./ports/clock.ts";

/** How often is looked how much time has gone by, in milliseconds. */
const lookEveryMs = 25;
/**
 * One turn of the event loop counts for so many milliseconds at most. In a longer one the loop was
 * held up: nobody was served, and what is waited for may have come long ago. Shorter turns count in
 * full, because who waits behind many of them would wait too long for a refusal.
 */
const mostOfATurnMs = 200;

/**
 * Waits that all may take equally long. Only time counts in which the event loop ran. Where it is
 * never held up, that is the time on the clock.
 */
export interface RunningTime {
  /**
   * Calls `run` after the time, unless the returned function is called before. The last step is a
   * timer of no length, so that what the loop has received by then comes first.
   */
  after(run: () => void): () => void;
}

/** @param ms How long each wait may take, in milliseconds in which the loop ran. */
export const runningTime = (clock: Pick<Clock, "monotonic" | "after">, ms: number): RunningTime => {
  /** What is to run, and when by `ranMs`; the first to end comes first. */
  const open = new Map<() => void, number>();
  let ranMs = 0;
  let lookedMs = 0;
  let cancel: (() => void) | undefined;

  const sinceLook = (): number => Math.min(clock.monotonic() - lookedMs, mostOfATurnMs);

  const lookLater = (): void => {
    lookedMs = clock.monotonic();
    cancel = clock.after(Math.min(ms, lookEveryMs), look);
  };

  const isDue = (): boolean => {
    const [dueMs] = open.values();
    return dueMs !== undefined && dueMs <= ranMs;
  };

  const look = (): void => {
    ranMs += sinceLook();
    lookLater();
    if (!isDue()) return;
    cancel?.();
    cancel = clock.after(0, endDue);
  };

  const endDue = (): void => {
    cancel = undefined;
    ranMs += sinceLook();
    lookedMs = clock.monotonic();
    for (const [end, dueMs] of open) {
      if (dueMs > ranMs) break;
      open.delete(end);
      end();
    }
    if (open.size > 0 && cancel === undefined) lookLater();
  };

  return {
    after: (run) => {
      // Each wait is an entry of its own, also where two run the same function.
      const end = (): void => run();
      if (cancel === undefined) lookLater();
      open.set(end, ranMs + sinceLook() + ms);
      return () => {
        open.delete(end);
        if (open.size > 0) return;
        cancel?.();
        cancel = undefined;
      };
    },
  };
};
