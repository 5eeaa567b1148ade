/**
 * Begins requests so that one turn of the event loop never becomes long, and every network gets its
 * share of it.
 */
export interface FairTurns {
  /**
   * `undefined` when the request may begin at once. Otherwise resolves when its turn has come.
   * Requests that wait begin one of each network after the other.
   */
  enter(network: string): Promise<void> | undefined;
  /** The requests that wait, of all networks. */
  readonly waiting: number;
  waitingOf(network: string): number;
}

/**
 * Requests begin in a turn of the event loop for this long. The rest wait for the next turn, so
 * that answers whose data has come from the database leave in between.
 */
const turnMs = 10;

/**
 * What waits is bounded by the connections: each has one request at most that is not waiting for
 * its own answers.
 */
export const createFairTurns = (nowMs: () => number = () => performance.now()): FairTurns => {
  /** Networks in the order in which they are served next. */
  const queues = new Map<string, (() => void)[]>();
  let waiting = 0;
  /** When the first request of this turn began. */
  let begunMs: number | undefined;

  const beginOne = (): void => {
    const [first] = queues;
    if (first === undefined) return;
    const [network, queue] = first;
    queues.delete(network);
    const begin = queue.shift();
    if (queue.length > 0) queues.set(network, queue);
    waiting -= 1;
    begin?.();
  };

  const nextTurn = async (): Promise<void> => {
    begunMs = waiting > 0 ? nowMs() : undefined;
    if (begunMs === undefined) return;
    setImmediate(() => void nextTurn());
    const untilMs = begunMs + turnMs;
    while (waiting > 0 && nowMs() < untilMs) {
      beginOne();
      // The request goes on in microtasks; its work counts before the next one begins.
      await Promise.resolve();
    }
  };

  return {
    enter: (network) => {
      if (begunMs === undefined) {
        begunMs = nowMs();
        setImmediate(() => void nextTurn());
        return undefined;
      }
      if (waiting === 0 && nowMs() - begunMs < turnMs) return undefined;
      return new Promise((resolve) => {
        const queue = queues.get(network);
        if (queue === undefined) queues.set(network, [resolve]);
        else queue.push(resolve);
        waiting += 1;
      });
    },
    get waiting() {
      return waiting;
    },
    waitingOf: (network) => queues.get(network)?.length ?? 0,
  };
};
