import { type Clock, createFairQueue } from "@postern/core/parts";
import type { Steps } from "./steps.ts";

/** Answers of fewer bytes take less than a millisecond to measure, and to write. */
export const longBytes = 256 * 1024;

/** Does work that would keep the thread busy for long, in short turns. */
export interface LongWork {
  /**
   * Finishes the work of a network. A turn takes 5 ms, or as long as one step. After it nothing here
   * is worked on for as long as the turn took, or for up to four times as long while other work keeps
   * the thread busy. Networks take turns, and so does the work of one network. The queue is not bounded
   * here. Rejects with what a step throws.
   */
  finish<Result>(network: string, steps: Steps<Result>): Promise<Result>;
}

const turnMs = 5;
/** After a shorter turn, the next one begins at once. */
const shortMs = 1;
/** A timer that is later than this, in milliseconds, had to wait for other work. */
const lateMs = 2;
const mostRests = 4;

/**
 * One line for all long work of an API. A request needs several turns of the event loop. If each
 * long answer took turns of its own, a few at once would leave none of the thread to others.
 */
export const createLongWork = (clock: Pick<Clock, "monotonic" | "after">): LongWork => {
  const waiting = createFairQueue<() => void>();
  let isTaken = false;

  const goOn = (): void => {
    const next = waiting.next();
    if (next === undefined) isTaken = false;
    else next.item();
  };

  const rest = (tookMs: number, rests = 1): void => {
    const dueMs = clock.monotonic() + tookMs;
    clock.after(tookMs, () => {
      if (rests < mostRests && clock.monotonic() > dueMs + lateMs) rest(tookMs, rests + 1);
      else goOn();
    });
  };

  /** Works for one turn. */
  const work = <Result>(steps: Steps<Result>): IteratorResult<undefined, Result> => {
    const beganMs = clock.monotonic();
    const workedMs = (): number => clock.monotonic() - beganMs;
    try {
      let step = steps.next();
      while (step.done !== true && workedMs() < turnMs) step = steps.next();
      return step;
    } finally {
      const tookMs = workedMs();
      if (tookMs < shortMs) goOn();
      else rest(tookMs);
    }
  };

  return {
    finish: async (network, steps) => {
      for (;;) {
        if (isTaken) await new Promise<void>((resolve) => waiting.add(network, resolve));
        isTaken = true;
        const step = work(steps);
        if (step.done === true) return step.value;
      }
    },
  };
};
