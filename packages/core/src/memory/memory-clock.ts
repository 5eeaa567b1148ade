import type { Clock } from "../ports/clock.ts";

/**
 * A clock that stands still until you move it. Give the same clock to everything that should share
 * one time.
 */
export interface VirtualClock extends Clock {
  /**
   * Moves time forward by `ms` milliseconds (0 or more). Runs every timer that becomes due, ordered
   * by time and then by creation, also timers that are set on the way. Lets promises settle before
   * the first timer, between timers and after the last. If a timer throws, this throws the same.
   */
  advance(ms: number): Promise<void>;
  /**
   * Sets the wall clock forward or back, as an administrator or a time server would. Timers and
   * `monotonic` do not notice.
   */
  jump(ms: number): void;
  /** How many timers are waiting. Use it to find timers that were never cancelled. */
  pendingTimers(): number;
}

export interface VirtualClockOptions {
  /**
   * Resolves when everything under way has come to rest. The default yields 200 turns of the
   * promise queue, which is enough if every effect is in memory. With real files or sockets, pass
   * one that waits for them (e.g. for some turns of the event loop).
   */
  readonly settle?: () => Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

const yieldPromiseQueue = async (): Promise<void> => {
  for (let count = 0; count < 200; count++) await undefined;
};

/** 2026-01-01T00:00:00Z. */
const defaultStartMs = 1_767_225_600_000;

/**
 * A virtual clock that starts at `startMs` (milliseconds since the epoch) with `monotonic` at 0.
 */
export const virtualClock = (
  startMs: number = defaultStartMs,
  { settle = yieldPromiseQueue }: VirtualClockOptions = {},
): VirtualClock => {
  const timers = new Set<Timer>();
  let elapsed = 0;
  let offset = startMs;

  const takeDue = (until: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.due <= until && (first === undefined || timer.due < first.due)) first = timer;
    if (first !== undefined) timers.delete(first);
    return first;
  };

  return {
    now: () => Math.floor(offset + elapsed),
    monotonic: () => elapsed,
    after: (delayMs, run) => {
      const timer = { due: elapsed + Math.max(0, delayMs), run };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    nextLoopTurn: () => Promise.resolve(),
    advance: async (ms) => {
      if (!(ms >= 0)) throw new TypeError(`time does not advance by ${ms} ms`);
      const until = elapsed + ms;
      await settle();
      for (let timer = takeDue(until); timer !== undefined; timer = takeDue(until)) {
        elapsed = Math.max(elapsed, timer.due);
        timer.run();
        await settle();
      }
      elapsed = Math.max(elapsed, until);
      await settle();
    },
    jump: (ms) => {
      offset += ms;
    },
    pendingTimers: () => timers.size,
  };
};
