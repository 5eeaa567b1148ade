import type { Clock } from "../ports/clock.ts";

/** A clock that stands still until it is told to move. Give one to everything that shall live in the same time. */
export interface VirtualClock extends Clock {
  /**
   * Lets `ms` milliseconds (0 or more) go by: runs every timer that falls due, in order of time and then of creation, timers set on the
   * way included, and lets promises settle before the first, between any two and after the last. What a timer throws, this throws.
   */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock forward or back, as an administrator or a time server would; timers and `monotonic` do not notice. */
  jump(ms: number): void;
  /** How many timers are waiting, to find those that were never cancelled. */
  pendingTimers(): number;
}

export interface VirtualClockOptions {
  /**
   * Resolves when what is going on has come to rest. Without it, `advance` yields 200 turns of the promise queue, which is enough where
   * every effect is in memory; with real files or sockets give one that waits for those (e.g. for some turns of the event loop).
   */
  readonly settle?: () => Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

const yieldPromiseQueue = async (): Promise<void> => {
  for (let turn = 0; turn < 200; turn++) await undefined;
};

/** 2026-01-01T00:00:00Z. */
const defaultStartMs = 1_767_225_600_000;

/** A virtual clock that starts at `startMs` (milliseconds since the epoch) with `monotonic` at 0. */
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
