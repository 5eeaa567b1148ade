import { createFairQueue } from "@postern/core/parts";

/** Spreads out pieces of work that each keep the thread busy for milliseconds. */
export interface RestingTurns {
  /**
   * Runs `work` when its turn has come. One piece of work runs at a time. Then nothing runs until
   * the event loop has been idle for as long as it took, or four times as long has passed. So while
   * others have much to do, they get four fifths of the time. Networks take turns, and one whose
   * work took long lets the others go first. The queue is not bounded here.
   *
   * Rejects with what `work` throws. If `work` returns a promise, its first turn counts, and each
   * turn that follows a pause.
   */
  run<Result>(network: string, work: (pause: Pause) => Result | Promise<Result>): Promise<Result>;
}

/**
 * Ends a turn of the event loop in the middle of a piece of work. Resolves when the turn of the rest
 * has come, which goes before other work of its network.
 */
export type Pause = () => Promise<void>;

/** What is known of the event loop; each in milliseconds since any moment. */
export interface LoopTime {
  readonly nowMs: () => number;
  /** How long the loop has had nothing to do. Where it is not known, it counts as always idle. */
  readonly idleMs: () => number;
}

const realTime: LoopTime = {
  nowMs: () => performance.now(),
  idleMs: () => performance.eventLoopUtilization?.().idle ?? performance.now(),
};

const mostRests = 4;
/** Of a longer turn, this much counts. Something else made it so long. */
const mostTurnMs = 100;
/** A network lets the others go first in one round for each of these. */
const roundMs = 5;

export const createRestingTurns = ({ nowMs, idleMs }: LoopTime = realTime): RestingTurns => {
  const waiting = createFairQueue<() => void>();
  let busy = false;

  const goOn = (): void => {
    const next = waiting.next();
    if (next === undefined) busy = false;
    else next.item();
  };

  const rest = (tookMs: number): void => {
    const fromMs = nowMs();
    const idleFromMs = idleMs();
    const look = (): void => {
      const owedMs = tookMs - (idleMs() - idleFromMs);
      const leftMs = mostRests * tookMs - (nowMs() - fromMs);
      if (owedMs > 0 && leftMs > 0) setTimeout(look, Math.min(owedMs, leftMs));
      else goOn();
    };
    setTimeout(look, tookMs);
  };

  /** Begins a turn. Whatever follows the work in the same turn counts as well. */
  const begin = (network: string): void => {
    busy = true;
    const fromMs = nowMs();
    setTimeout(() => {
      const tookMs = Math.min(nowMs() - fromMs, mostTurnMs);
      waiting.charge(network, Math.floor(tookMs / roundMs));
      rest(tookMs);
    }, 0);
  };

  /** Resolves when the network has a turn. `wait` is given what begins it. */
  const turnOf = (network: string, wait: (go: () => void) => void): Promise<void> =>
    new Promise((resolve) =>
      wait(() => {
        begin(network);
        resolve();
      }),
    );

  const pauseOf = (network: string): Pause => {
    return () =>
      turnOf(network, (go) => {
        waiting.addFirst(network, go);
        if (busy) return;
        // It has waited for something else meanwhile.
        busy = true;
        setTimeout(goOn, 0);
      });
  };

  return {
    run: async (network, work) => {
      if (busy) await turnOf(network, (go) => waiting.add(network, go));
      else begin(network);
      return work(pauseOf(network));
    },
  };
};
