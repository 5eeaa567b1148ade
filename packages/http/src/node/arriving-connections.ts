import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createFairQueue } from "@postern/core/parts";

/**
 * Lets the connections of a burst begin in the order of their networks' turns, and not in the order
 * in which they came.
 */
export interface ArrivingConnections {
  /**
   * Begins a connection: at once, if it comes alone. Of a burst, it begins when its turn has come,
   * unless it is closed by then. Nothing of it is read before.
   */
  arrive(network: string, socket: Socket, begin: () => void): void;
}

/** When no more come, connections begin for this long in each turn of the event loop. */
const turnMs = 1;
/**
 * The system hands over one connection in each turn of the event loop. So while connections come, one
 * begins in each such time: then those behind them are taken soon.
 */
const everyMs = 2;

/** How `node:net` makes the sockets of a server. Node documents it as an option of `createServer`. */
type PausingServer = Server & { pauseOnConnect: boolean };

/**
 * A connection costs little until it is read: then its request is parsed, begins, and is answered or
 * refused. The system has its new connections in one queue for all callers, so it must be emptied
 * fast. The number of connections bounds how many wait here.
 */
export const createArrivingConnections = (
  server: Server,
  nowMs: () => number = () => performance.now(),
): ArrivingConnections => {
  const pausing = server as PausingServer;
  const waiting = createFairQueue<{ readonly socket: Socket; readonly begin: () => void }>();
  let hasCome = false;
  let isBurst = false;
  /** When one began last. */
  let lastMs = 0;

  /** Begins connections for this long, at least one. */
  const begin = (startMs: number, forMs: number): void => {
    lastMs = startMs;
    for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
      const { socket, begin } = next.item;
      if (socket.destroyed) continue;
      begin();
      socket.resume();
      if (nowMs() - startMs >= forMs) return;
    }
  };

  const turn = (): void => {
    const startMs = nowMs();
    if (!hasCome) begin(startMs, turnMs);
    else if (startMs - lastMs >= everyMs) begin(startMs, 0);
    isBurst = hasCome || waiting.waiting > 0;
    pausing.pauseOnConnect = isBurst;
    hasCome = false;
    if (isBurst) setImmediate(turn);
  };

  return {
    arrive: (network, socket, begin) => {
      hasCome = true;
      if (isBurst) {
        waiting.add(network, { socket, begin });
        return;
      }
      isBurst = true;
      pausing.pauseOnConnect = true;
      lastMs = nowMs();
      setImmediate(turn);
      begin();
    },
  };
};
