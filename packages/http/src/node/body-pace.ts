import type { IncomingMessage } from "node:http";
import { createFairQueue } from "../fair-queue.ts";

/**
 * Takes in the bodies of requests so that one turn of the event loop never becomes long: a body
 * that comes as fast as it can is megabytes for each connection and turn.
 */
export interface BodyPace {
  /**
   * Notes a piece of a body that has come, and how much has come of the body. Beyond the bytes of
   * the pace the request is paused until its turn comes; networks take turns. A body whose first
   * 64 KiB are not over yet is never paused: it is bounded by itself.
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

/** What waits is bounded by the connections. */
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
 * 256 KiB in one turn of the event loop, of bodies that are read and of those that were refused and
 * are dropped. One for the process: all servers share its event loop.
 */
export const bodyPace = createBodyPace({ bytes: 256 * 1024, goOn: setImmediate });
