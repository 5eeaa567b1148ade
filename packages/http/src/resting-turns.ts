import { createFairQueue } from "@postern/core/parts";

/** Spreads out pieces of work that each keep the thread busy for milliseconds. */
export interface RestingTurns {
  /**
   * Runs `work` when its turn has come. Networks take turns. One piece of work runs at a time, and
   * then nothing runs for as long as it took, but at most 200 ms. So half of the time, and every
   * other turn of the event loop, is left for other requests. The queue is not bounded here.
   * Rejects with what `work` throws. If `work` returns a promise, its first turn counts.
   */
  run<Result>(network: string, work: () => Result | Promise<Result>): Promise<Result>;
}

/**
 * The longest rest. A webhook of 5 MB can take that long. If a turn took longer, something else made
 * it long.
 */
const mostRestMs = 200;

export const createRestingTurns = (nowMs: () => number = () => performance.now()): RestingTurns => {
  const waiting = createFairQueue<() => void>();
  let busy = false;

  const goOn = (): void => {
    const next = waiting.next();
    if (next === undefined) busy = false;
    else next.item();
  };
  /** Whatever follows the work in the same turn counts as well. */
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
