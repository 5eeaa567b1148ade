import type { Socket } from "node:net";
import type { Gateway } from "../gateway.ts";

/** An address in debt gets a further connection so often. */
const everyMs = 100;
/**
 * All addresses in debt together get one so often. Each may bring 64 KiB of waste, which Node parses in
 * one go: ten milliseconds for chunks of one byte.
 */
const apartMs = 50;
/** So many of the connections that it got while in debt may be open at once. */
const mostOpen = 8;
/** So many more of it wait. */
const mostWaiting = 128;
/**
 * So many wait in all. Nobody reads them, but Node fetches up to 64 KiB of each by itself; this bounds
 * the memory at 64 MiB.
 */
const mostWaitingInAll = 1_024;

interface Line {
  /** The connections that wait, in the order in which they came, with what lets them in. */
  readonly waiting: Map<Socket, () => void>;
  /** How many of those that were let in are still open. */
  open: number;
}

/**
 * Where connections of addresses wait that have wasted too many: behind one address there may be many
 * callers, and one of them must not shut out the others. They are let in one after the other, slowly;
 * a few at a time when the address has paid, and all at once when the server stops.
 */
export const createWaitingConnections = (gateway: Pick<Gateway, "waste" | "draining">) => {
  const lines = new Map<string, Line>();
  let waitingInAll = 0;
  /** When an address in debt last got a connection. */
  let latestAt = Number.NEGATIVE_INFINITY;

  const letIn = (line: Line, socket: Socket, goOn: () => void): void => {
    if (line.waiting.delete(socket)) waitingInAll -= 1;
    line.open += 1;
    socket.once("close", () => {
      line.open -= 1;
    });
    socket.off("error", ignore);
    goOn();
  };

  const turn = (network: string, line: Line): void => {
    const isFree = gateway.draining || !gateway.waste.isInDebt(network);
    const isTooSoon = !isFree && line.waiting.size > 0 && performance.now() - latestAt < apartMs;
    if (isTooSoon) return void setTimeout(turn, apartMs, network, line).unref();
    let most = gateway.draining ? mostWaiting : isFree ? mostOpen : 1;
    for (const [socket, goOn] of line.waiting) {
      if (most === 0 || (!isFree && line.open >= mostOpen)) break;
      if (!isFree) latestAt = performance.now();
      letIn(line, socket, goOn);
      most -= 1;
    }
    if (line.waiting.size === 0 && line.open === 0) lines.delete(network);
    else setTimeout(turn, everyMs, network, line).unref();
  };

  return {
    /** Whether a new connection of this network has to wait for others, or for its turn. */
    isNeeded: (network: string): boolean =>
      gateway.waste.isInDebt(network) || (lines.get(network)?.waiting.size ?? 0) > 0,
    /**
     * Calls `goOn` now, or when the turn of the connection has come; never if it closes before.
     * Returns false if there is no place to wait.
     */
    wait: (network: string, socket: Socket, goOn: () => void): boolean => {
      const known = lines.get(network);
      if (known === undefined) {
        const line: Line = { waiting: new Map(), open: 0 };
        lines.set(network, line);
        letIn(line, socket, goOn);
        setTimeout(turn, everyMs, network, line).unref();
        return true;
      }
      if (known.waiting.size >= mostWaiting || waitingInAll >= mostWaitingInAll) return false;
      known.waiting.set(socket, goOn);
      waitingInAll += 1;
      // Without a listener, a caller that breaks off would end the process.
      socket.on("error", ignore);
      socket.once("close", () => {
        if (known.waiting.delete(socket)) waitingInAll -= 1;
      });
      return true;
    },
  };
};

const ignore = (): void => undefined;
