import { createFairQueue } from "./fair-queue.ts";

/** Keeps pieces of work apart that each keep the one thread busy for milliseconds. */
export interface RestingTurns {
  /**
   * Does `work` when its turn has come: networks take turns, one piece of work is done at a time,
   * and the next one begins when as much time has passed again as it took. So half of the time, and
   * every other turn of the event loop, is left for other requests. What waits is not bounded here.
   * Rejects with what `work` throws.
   */
  run<Result>(network: string, work: () => Result): Promise<Result>;
}

/** Something else may have made the turn long. */
const mostRestMs = 50;

export const createRestingTurns = (nowMs: () => number = () => performance.now()): RestingTurns => {
  const waiting = createFairQueue<() => void>();
  let busy = false;

  const goOn = (): void => {
    const next = waiting.next();
    if (next === undefined) busy = false;
    else next.item();
  };
  /** What follows the work in the same turn counts as well. */
  const rest = (fromMs: number): void => {
    setTimeout(() => setTimeout(goOn, Math.min(nowMs() - fromMs, mostRestMs)), 0);
  };

  return {
    run: async (network, work) => {
      if (busy) await new Promise<void>((resolve) => waiting.add(network, resolve));
      busy = true;
      const fromMs = nowMs();
      try {
        return work();
      } finally {
        rest(fromMs);
      }
    },
  };
};
