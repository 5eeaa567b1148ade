/** A turn of the event loop: from one poll for events to the next. */
export interface LongLoopTurn {
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** When it ended, by `performance.now()`. */
  readonly endedAt: number;
}

/** How late this process is: everything that arrives waits for this long. */
interface EventLoopDelay {
  /**
   * Milliseconds, 0 when nothing is late. It is smoothed with a half-life, so that one long pause
   * does not look like a process that cannot keep up.
   */
  current(): number;
  /** The longest turn of the last minute (50 to 60 s), in milliseconds. */
  longest(): number;
  /** Stops measuring; `current` and `longest` keep their values. */
  close(): void;
}

interface EventLoopDelayOptions {
  /** Called right after every turn that is longer than `longLoopTurnMs`. It must not throw. */
  readonly onLongLoopTurn?: (loopTurn: LongLoopTurn) => void;
  /** Default 200. */
  readonly longLoopTurnMs?: number;
}

const everyMs = 20;
/** After this time, a measurement counts half as much. */
const halfLifeMs = 500;
/** After a process was suspended for an hour, it does not count as late for another hour. */
const longestMs = 10_000;
const periodMs = 10_000;
const periods = 6;

/** The highest of the values of the last minute, kept as the highest of each ten seconds. */
const highestOfAMinute = () => {
  const highest: number[] = [0];
  let periodEndsAt = performance.now() + periodMs;
  const rotate = (now: number): void => {
    while (now >= periodEndsAt) {
      highest.push(0);
      if (highest.length > periods) highest.shift();
      periodEndsAt += periodMs;
    }
  };
  return {
    note: (value: number, now: number): void => {
      rotate(now);
      highest.push(Math.max(highest.pop() ?? 0, value));
    },
    highest: (): number => Math.max(...highest),
  };
};

/**
 * Measures the delay of this process's event loop; it does not keep the process alive. It measures
 * how late its own timer is. `monitorEventLoopDelay` may note a pause only after its histogram was
 * read, and the pause would then count only for the short time until the next reading.
 */
export const eventLoopDelay = ({
  onLongLoopTurn,
  longLoopTurnMs = 200,
}: EventLoopDelayOptions = {}): EventLoopDelay => {
  let current = 0;
  let lastMs = performance.now();
  const loopTurns = highestOfAMinute();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const lateMs = Math.max(nowMs - lastMs - everyMs, 0);
    const elapsedMs = Math.min(nowMs - lastMs, longestMs);
    const kept = 2 ** -(elapsedMs / halfLifeMs);
    current = current * kept + Math.max(elapsedMs - everyMs, 0) * (1 - kept);
    lastMs = nowMs;
    loopTurns.note(lateMs, nowMs);
    if (lateMs > longLoopTurnMs) onLongLoopTurn?.({ ms: lateMs, endedAt: nowMs });
  }, everyMs).unref();
  return { current: () => current, longest: loopTurns.highest, close: () => clearInterval(timer) };
};
