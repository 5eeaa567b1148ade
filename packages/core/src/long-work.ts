import { createFairQueue } from "./fair-queue.ts";
import type { Clock } from "./ports/clock.ts";

/**
 * Ends a turn of the event loop in the middle of a piece of work. Resolves when the turn of the rest
 * has come, which goes before other work of its network.
 */
type Pause = () => Promise<void>;

/** Does work that would keep the thread busy for long, in turns that leave half of it to others. */
export interface LongWork {
  /**
   * Runs work in its turn. One piece runs at a time, and then none for as long as it took. Networks
   * take turns, and one whose work took long lets the others go first. Rejects with what `work`
   * throws. If `work` returns a promise, its first turn counts, and each turn that follows a pause.
   */
  run<Result>(network: string, work: (pause: Pause) => Result | Promise<Result>): Promise<Result>;
  /** The same for work in steps. A turn takes 5 ms, or as long as one step. */
  finish<Result>(network: string, steps: Iterator<undefined, Result, undefined>): Promise<Result>;
}

/** Shorter slices would leave as much to others, and make the work take longer. */
const sliceMs = 5;
/** After a shorter slice, the next one begins at once. */
const shortMs = 1;
/** A network lets the others go first in one round for each of these milliseconds. */
const roundMs = 5;
/** Of a longer slice, this much counts. Something else made it so long. */
const mostMs = 100;

/**
 * One line of long work. A request needs several turns of the event loop. If each piece of long work
 * took turns of its own, a few at once would leave none of the thread to others. What waits is not
 * bounded here.
 */
export const createLongWork = (clock: Pick<Clock, "monotonic" | "after">): LongWork => {
  const waiting = createFairQueue<() => void>();
  let isBusy = false;

  /** `undefined` if work may begin at once. */
  const whenFree = (network: string, isRest: boolean): Promise<void> | undefined => {
    if (isBusy) {
      return new Promise((begin) => (isRest ? waiting.addFirst(network, begin) : waiting.add(network, begin)));
    }
    isBusy = true;
    return undefined;
  };
  const goOn = (): void => {
    const next = waiting.next();
    if (next === undefined) isBusy = false;
    else next.item();
  };
  /** Ends a turn, with whatever follows the work in the same turn of the event loop. */
  const end = (network: string, fromMs: number): void =>
    void clock.after(0, () => {
      const tookMs = Math.min(clock.monotonic() - fromMs, mostMs);
      waiting.charge(network, Math.floor(tookMs / roundMs));
      clock.after(tookMs, goOn);
    });
  const begin = async (network: string, isRest: boolean): Promise<void> => {
    const free = whenFree(network, isRest);
    if (free !== undefined) await free;
    end(network, clock.monotonic());
  };

  return {
    run: async (network, work) => {
      await begin(network, false);
      return work(() => begin(network, true));
    },
    finish: async (network, steps) => {
      for (let isRest = false; ; isRest = true) {
        const free = whenFree(network, isRest);
        if (free !== undefined) await free;
        const fromMs = clock.monotonic();
        try {
          let step = steps.next();
          while (step.done !== true && clock.monotonic() - fromMs < sliceMs) step = steps.next();
          if (step.done === true) return step.value;
        } finally {
          if (clock.monotonic() - fromMs < shortMs) goOn();
          else end(network, fromMs);
        }
      }
    },
  };
};
