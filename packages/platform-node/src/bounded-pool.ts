import { AppError } from "@postern/core";

export interface BoundedPoolOptions {
  /** How many run at once, 1 or more. */
  readonly concurrency: number;
  /** How many may wait, 0 or more. */
  readonly queue: number;
  /** What a refused caller is told to wait. */
  readonly retryAfterSeconds: number;
}

/**
 * Runs a few tasks at once and lets a bounded number wait, first come, first served.
 * @throws AppError `overloaded` with `Retry-After`, at once, when the queue is full.
 */
export const boundedPool = ({ concurrency, queue, retryAfterSeconds }: BoundedPoolOptions) => {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (running < concurrency) running += 1;
    else if (waiting.length >= queue) {
      throw new AppError("overloaded", { headers: { "retry-after": String(retryAfterSeconds) } });
    } else await new Promise<void>((start) => waiting.push(start));

    try {
      return await task();
    } finally {
      // The place goes straight to the next in line, so that nobody who comes in between overtakes it.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
