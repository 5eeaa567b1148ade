import type { IncomingMessage } from "node:http";
import { createFairQueue } from "@postern/core/parts";

/**
 * Reads request bodies at a pace that keeps each turn of the event loop short. Without it, each
 * connection could bring megabytes in one turn.
 */
export interface BodyPace {
  /**
   * Call this for each piece of a body that arrives. `soFar` counts all bytes of the body up to and
   * including this piece. When more bytes have arrived in this turn than the pace allows, the
   * request is paused until its turn comes. Networks take turns. A body is never paused within its
   * first 64 KiB.
   */
  note(req: Pausable, network: string, bytes: number, soFar: number): void;
}

type Pausable = Pick<IncomingMessage, "pause" | "resume">;

/** The longest piece that Node reads at once. */
const pieceBytes = 64 * 1024;

/** How much is taken in before bodies wait, and when they go on. */
interface Pace {
  readonly bytes: number;
  goOn(next: () => void): void;
}

/** The number of connections bounds the queue: each has at most one body that waits. */
export const createBodyPace = ({ bytes: mostBytes, goOn }: Pace): BodyPace => {
  const queue = createFairQueue<Pausable>();
  let taken = 0;
  let goesOn = false;

  const next = (): void => {
    goesOn = queue.waiting > 0;
    if (goesOn) goOn(next);
    taken = 0;
    for (let going = 0; going < mostBytes; going += pieceBytes) queue.next()?.item.resume();
  };

  return {
    note: (req, network, bytes, soFar) => {
      taken += bytes;
      if (!goesOn) {
        goesOn = true;
        goOn(next);
      }
      if (taken <= mostBytes || soFar <= pieceBytes) return;
      req.pause();
      queue.add(network, req);
    },
  };
};

/**
 * Lets 256 KiB in per turn of the event loop. Bodies that are read count, and so do bodies of
 * refused requests, which are dropped. The process has one pace, because all its servers share the
 * event loop.
 */
export const bodyPace = createBodyPace({ bytes: 256 * 1024, goOn: setImmediate });
