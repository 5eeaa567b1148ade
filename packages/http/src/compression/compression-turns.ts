import { createShares } from "../shares.ts";

/** Bounds the compressions beside the event loop, and gives networks turns. */
export interface CompressionTurns {
  /**
   * Runs `work` when the turn of its network has come. `undefined`, without running anything, when
   * there is no room for that many bytes.
   */
  run<Result>(network: string, bytes: number, work: () => Promise<Result>): Promise<Result> | undefined;
}

/**
 * The pool of Node has four threads. SQLite, password hashes and files need the others.
 */
const atOnce = 2;

export const createCompressionTurns = (limits: {
  readonly total: number;
  readonly perAddress: number;
}): CompressionTurns => {
  const room = createShares(limits);
  /** Networks in the order in which they are served next. */
  const queues = new Map<string, (() => void)[]>();
  let running = 0;

  const next = (): void => {
    const [first] = queues;
    if (running >= atOnce || first === undefined) return;
    const [network, queue] = first;
    queues.delete(network);
    const begin = queue.shift();
    if (queue.length > 0) queues.set(network, queue);
    running += 1;
    begin?.();
  };

  const turnOf = (network: string): Promise<void> =>
    new Promise((resolve) => {
      const queue = queues.get(network);
      if (queue === undefined) queues.set(network, [resolve]);
      else queue.push(resolve);
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
      // One answer may be larger than the whole share, if it is the only one.
      const held = Math.min(bytes, limits.perAddress, limits.total);
      return room.take(network, held) ? runInTurn(network, held, work) : undefined;
    },
  };
};
