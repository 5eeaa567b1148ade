/** A clock on which every look takes 3 ms, and whose timers wait until they are let go. */
export const slowClock = () => {
  let now = 0;
  const waiting: (() => void)[] = [];
  return {
    now: () => now,
    monotonic: () => {
      now += 3;
      return now;
    },
    after: (_delayMs: number, run: () => void) => {
      waiting.push(run);
      return () => undefined;
    },
    nextLoopTurn: () => Promise.resolve(),
    waiting,
  };
};
