import type { Clock, QueueLimits } from "@postern/core/ports";

/** How many jobs one process may take from a queue. */
export interface QueueShare {
  /**
   * How many jobs may be claimed now, if this many jobs of the queue run here and this many
   * processes share it.
   */
  free(running: number, processes: number): number;
  took(jobs: number): void;
  /** Milliseconds until the rate allows one more job; 0 if it allows one now. */
  waitMs(processes: number): number;
}

/** Burst: what the rate allows in one second, and never less than one job. */
export const queueShare = (
  clock: Clock,
  { concurrency = Number.POSITIVE_INFINITY, perSecond }: QueueLimits,
): QueueShare => {
  if (perSecond === undefined) {
    return { free: (running) => concurrency - running, took: () => undefined, waitMs: () => 0 };
  }
  let tokens = Math.max(1, perSecond);
  let at = clock.monotonic();

  const refill = (processes: number): number => {
    const rate = perSecond / Math.max(1, processes);
    const now = clock.monotonic();
    tokens = Math.min(Math.max(1, rate), tokens + ((now - at) * rate) / 1000);
    at = now;
    return rate;
  };

  return {
    free: (running, processes) => {
      refill(processes);
      return Math.min(concurrency - running, Math.floor(tokens));
    },
    took: (jobs) => {
      tokens -= jobs;
    },
    waitMs: (processes) => {
      const rate = refill(processes);
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / rate) * 1000);
    },
  };
};
