import { createFairQueue, runningTime } from "@postern/core/parts";
import { loopClock } from "../loop-clock.ts";
import { unavailable } from "../translate-error.ts";

export interface WriteTurnLimits {
  /** Most transactions of networks at once. */
  readonly atOnce: number;
  /** Most of them whose network wrote much in its last one. */
  readonly longAtOnce: number;
  /** Most transactions that may wait; further ones are refused. */
  readonly waiting: number;
  /** How long one may wait, in milliseconds. Only time in which the event loop ran counts. */
  readonly waitMs: number;
}

/**
 * Lets networks take turns at the connections that write. Networks whose transactions are long share
 * a few of them, so that others find a connection free.
 */
export interface WriteTurns {
  /**
   * Runs a transaction when its network has its turn. Call `note` with the bytes that it gave to the
   * database.
   * @throws AppError `unavailable` when too many wait, or when this one waits too long; and what
   *   `work` throws.
   */
  run<Result>(network: string, work: (note: (bytes: number) => void) => Promise<Result>): Promise<Result>;
}

/** A transaction that gives so many bytes to the database is long. */
const longBytes = 64 * 1024;
/** Beyond so many networks, all are forgotten. Each may then begin long transactions again. */
const mostRemembered = 10_000;

/** Ends a turn, in which so many bytes were given to the database. */
type End = (bytes: number) => void;

export const writeTurns = ({ atOnce, longAtOnce, waiting, waitMs }: WriteTurnLimits): WriteTurns => {
  const queue = createFairQueue<() => void>();
  const patience = runningTime(loopClock, waitMs);
  /** Networks whose last transaction was long. Their next one will probably be, too. */
  const longWriters = new Set<string>();
  const running = { all: 0, long: 0 };

  const mayBegin = (network: string): boolean =>
    running.all < atOnce && (running.long < longAtOnce || !longWriters.has(network));
  const begin = (network: string): End => {
    const long = longWriters.has(network) ? 1 : 0;
    running.all += 1;
    running.long += long;
    return (bytes) => {
      running.all -= 1;
      running.long -= long;
      if (longWriters.size >= mostRemembered) longWriters.clear();
      if (bytes < longBytes) longWriters.delete(network);
      else longWriters.add(network);
      for (let next = queue.next(mayBegin); next !== undefined; next = queue.next(mayBegin)) next.item();
    };
  };
  const waitForTurn = (network: string): Promise<End> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        stopWaiting();
        resolve(begin(network));
      };
      const stopWaiting = patience.after(() => {
        if (!queue.remove(network, go)) return;
        reject(unavailable(new Error(`a transaction waited longer than ${waitMs} ms for a connection`)));
      });
      queue.add(network, go);
    });
  const takeTurn = (network: string): End | Promise<End> => {
    if (queue.waitingOf(network) === 0 && mayBegin(network)) return begin(network);
    if (queue.waiting >= waiting) throw unavailable(new Error(`${queue.waiting} transactions are waiting already`));
    return waitForTurn(network);
  };

  return {
    run: async (network, work) => {
      const end = await takeTurn(network);
      let given = 0;
      try {
        return await work((bytes) => {
          given = bytes;
        });
      } finally {
        end(given);
      }
    },
  };
};
