import type { Clock } from "./ports/clock.ts";

/** How often the elapsed time is checked, in milliseconds. */
const lookEveryMs = 25;
/**
 * One turn of the event loop counts for this many milliseconds at most. During a longer turn the
 * loop was blocked: it served nobody, and the awaited result may have arrived long ago. Shorter
 * turns count in full, because a caller behind many of them would wait too long for a refusal.
 */
const mostOfLoopTurnMs = 200;

/**
 * Waits that all have the same limit. Only time in which the event loop ran counts. If the loop is
 * never blocked, that is the time on the clock.
 */
export interface RunningTime {
  /**
   * Calls `run` after the time, unless the returned function is called before. The last step is a
   * timer of no length, so that what the loop has received by then comes first.
   */
  after(run: () => void): () => void;
}

interface Wait {
  /** `undefined` once it has ended. */
  run: (() => void) | undefined;
  /** When it ends, in milliseconds in which the loop ran. */
  readonly dueMs: number;
  next: Wait | undefined;
}

/** @param ms How long each wait may take, in milliseconds in which the loop ran. */
export const runningTime = (clock: Pick<Clock, "monotonic" | "after">, ms: number): RunningTime => {
  /**
   * The waits, in the order in which they end, which is also the order in which they began. It is a
   * chain and not a map, because a busy inbox adds and removes one for each event.
   */
  let first: Wait | undefined;
  let last: Wait | undefined;
  let ranMs = 0;
  let lookedMs = 0;
  let cancel: (() => void) | undefined;

  const sinceLook = (): number => Math.min(clock.monotonic() - lookedMs, mostOfLoopTurnMs);

  const lookLater = (): void => {
    lookedMs = clock.monotonic();
    cancel = clock.after(Math.min(ms, lookEveryMs), look);
  };

  const isDue = (): boolean => first !== undefined && first.dueMs <= ranMs;

  /**
   * Forgets the waits at the front that have ended. They let go of the next ones: a chain of ended
   * waits, one of which had become old, kept all later ones until the whole heap was collected.
   */
  const forgetEnded = (): void => {
    while (first !== undefined && first.run === undefined) {
      const { next } = first;
      first.next = undefined;
      first = next;
    }
    if (first === undefined) last = undefined;
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
    while (first !== undefined && first.dueMs <= ranMs) {
      const { run } = first;
      first.run = undefined;
      forgetEnded();
      run?.();
    }
    if (first !== undefined && cancel === undefined) lookLater();
  };

  return {
    after: (run) => {
      if (cancel === undefined) lookLater();
      const wait: Wait = { run, dueMs: ranMs + sinceLook() + ms, next: undefined };
      if (last === undefined) first = wait;
      else last.next = wait;
      last = wait;
      return () => {
        wait.run = undefined;
        forgetEnded();
        if (first !== undefined) return;
        cancel?.();
        cancel = undefined;
      };
    },
  };
};
