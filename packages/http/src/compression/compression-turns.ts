import { createFairQueue } from "@postern/core/parts";
import { createShares } from "../shares.ts";

/** Bounds the compressions on threads, and lets networks take turns. */
export interface CompressionTurns {
  /**
   * Runs `work` when the turn of its network has come. `undefined`, without running anything, when
   * there is no room for that many bytes.
   */
  run<Result>(network: string, bytes: number, work: () => Promise<Result>): Promise<Result> | undefined;
}

export const createCompressionTurns = ({
  atOnce,
  ...limits
}: {
  readonly total: number;
  readonly perAddress: number;
  readonly atOnce: number;
}): CompressionTurns => {
  const room = createShares(limits);
  const queue = createFairQueue<() => void>();
  let running = 0;

  const next = (): void => {
    if (running >= atOnce || queue.waiting === 0) return;
    running += 1;
    queue.next()?.item();
  };

  const turnOf = (network: string): Promise<void> =>
    new Promise((resolve) => {
      queue.add(network, resolve);
      next();
    });

  const runInTurn = async <Result>(network: string, held: number, work: () => Promise<Result>): Promise<Result> => {
    try {
      await turnOf(network);
      try {
        return await work();
      } finally {
        running -= 1;
        next();
      }
    } finally {
      room.release(network, held);
    }
  };

  return {
    run: (network, bytes, work) => {
      // A single answer may be larger than the whole share.
      const held = Math.min(bytes, limits.perAddress, limits.total);
      return room.take(network, held) ? runInTurn(network, held, work) : undefined;
    },
  };
};
