const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export interface RetryPolicy {
  /**
   * The longest wait in milliseconds after the first, second, … failure; one entry for each retry.
   * If the last retry fails, the job is dead.
   */
  readonly delaysMs: readonly number[];
}

/**
 * Quickly at first, then over about three days, as senders of webhooks do (Standard Webhooks,
 * "Operational considerations").
 */
export const defaultRetryPolicy: RetryPolicy = {
  delaysMs: [
    5 * second,
    30 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ],
};

export const maxAttemptsOf = (policy: RetryPolicy): number => policy.delaysMs.length + 1;

/**
 * How many milliseconds to wait after failure number `attempt` (from 1): between half of the
 * planned delay and all of it, so that jobs that failed together do not run again together.
 * `fraction` is in [0, 1).
 */
export const retryDelayMs = (policy: RetryPolicy, attempt: number, fraction: number): number => {
  const planned = policy.delaysMs[Math.min(attempt, policy.delaysMs.length) - 1] ?? 0;
  return Math.round(planned * (0.5 + 0.5 * fraction));
};
