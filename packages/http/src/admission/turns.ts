import { createFairQueue, createLongWork } from "@postern/core/internal";
import type { Clock } from "@postern/core/ports";

/**
 * Requests begin for this long in a turn of the event loop. The rest wait for the next turn, so that
 * answers whose data has come from the database leave in between. A write takes up to ten statements,
 * each of which ends in another turn, so long turns delay writes many times over.
 */
const turnMs = 2;
/** Much of a request's work comes after its beginning and is not known beforehand, so few begin. */
const mostInTurn = 16;
/** This many bytes of a body or of an answer are as much work as a request. */
const bytesOfRequest = 16 * 1024;

/** Who begins in this turn of the event loop. The number of connections bounds what waits. */
export const createTurns = (nowMs: () => number = performance.now.bind(performance)) => {
  const requests = createFairQueue<() => void>();
  const healthChecks = createFairQueue<() => void>();
  /** When this turn began; `undefined` while nothing has begun in it. */
  let sinceMs: number | undefined;
  let begun = 0;
  let hasBegunHealthCheck = false;

  const startTurn = (): number => {
    const fromMs = nowMs();
    sinceMs = fromMs;
    begun = 0;
    hasBegunHealthCheck = false;
    // Where there is no `setImmediate`, as in browsers, a timer ends the turn.
    if (typeof setImmediate === "function") setImmediate(turn);
    else setTimeout(turn, 0);
    return fromMs;
  };

  const turn = async (): Promise<void> => {
    sinceMs = undefined;
    if (requests.waiting + healthChecks.waiting === 0) return;
    const fromMs = startTurn();
    const check = healthChecks.next();
    hasBegunHealthCheck = check !== undefined;
    check?.item();
    do {
      begun += 1;
      requests.next()?.item();
      // The request goes on in microtasks. Measure that work before the next one begins.
      await Promise.resolve();
    } while (requests.waiting > 0 && begun < mostInTurn && nowMs() - fromMs < turnMs);
  };

  return {
    /**
     * `undefined` if a request may begin at once. Otherwise resolves when its turn has come: waiting
     * requests begin in rounds, one of each network.
     */
    begin: (network: string): Promise<void> | undefined => {
      if (sinceMs === undefined) startTurn();
      else if (requests.waiting > 0 || begun >= mostInTurn || nowMs() - sinceMs >= turnMs) {
        return new Promise((begin) => requests.add(network, begin));
      }
      begun += 1;
      return undefined;
    },
    /**
     * The same for a health check. One begins in each turn of the event loop, before all requests. So
     * an orchestrator is answered while the server is busy, and a flood of checks leaves the turns to
     * others.
     */
    beginHealthCheck: (network: string): Promise<void> | undefined => {
      if (sinceMs === undefined) startTurn();
      if (hasBegunHealthCheck || healthChecks.waiting > 0) {
        return new Promise((begin) => healthChecks.add(network, begin));
      }
      hasBegunHealthCheck = true;
      return undefined;
    },
    /**
     * Notes the bytes of a body or of an answer: work beyond that of a plain request. The network lets
     * the others begin as many requests first, at most eight.
     */
    charge: (network: string, bytes: number): void => requests.charge(network, bytes / bytesOfRequest),
  };
};

export type Turns = ReturnType<typeof createTurns>;

/** One for the process: all servers share its event loop. */
export const turns = createTurns();

/** The time of every runtime that has `fetch`. */
export const clock: Pick<Clock, "monotonic" | "after"> = {
  monotonic: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Webhooks that take milliseconds to read. One line for the process, as with `turns`. */
export const longWork = createLongWork(clock);
