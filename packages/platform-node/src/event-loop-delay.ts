/** How late this process is: for as long as everything waits that comes in, whatever it needs. */
export interface EventLoopDelay {
  /** Milliseconds, 0 when nothing is late. It follows what happens with a half-life, so that one long pause is not taken for a process that cannot keep up. */
  current(): number;
  /** Measures no longer; `current` stays what it was. */
  close(): void;
}

const everyMs = 20;
/** What was measured counts for half after this time. */
const halfLifeMs = 500;
/** A process that was stopped for an hour is not late for an hour afterwards. */
const longestMs = 10_000;

/**
 * Measures the delay of this process's event loop; it does not keep the process alive. It goes by how late a timer of its own is: `monitorEventLoopDelay` may
 * note a pause only after whoever reads it then, and the pause would count for the short time until the next look.
 */
export const eventLoopDelay = (): EventLoopDelay => {
  let current = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const elapsedMs = Math.min(nowMs - lastMs, longestMs);
    const kept = 2 ** -(elapsedMs / halfLifeMs);
    current = current * kept + Math.max(elapsedMs - everyMs, 0) * (1 - kept);
    lastMs = nowMs;
  }, everyMs).unref();
  return { current: () => current, close: () => clearInterval(timer) };
};
