import { AppError } from "@postern/core";

export interface AtOnceLimit {
  /** How many requests of one caller run at once. */
  readonly running: number;
  /**
   * How many more requests of that caller wait for their turn, in the order in which they arrived.
   */
  readonly waiting: number;
}

/**
 * This is enough for a page that loads a dozen things, and few enough that costly requests of one
 * caller leave the database to others.
 */
export const defaultAtOnce: AtOnceLimit = { running: 4, waiting: 60 };

/** Runs work of one caller a few at a time. Work of different callers runs in parallel. */
export interface RequestsAtOnce {
  /**
   * @throws AppError `rate_limited` when too many requests of this caller are waiting; whatever
   *   `work` throws.
   */
  run<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
}

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** For load tests. */
export const unboundedAtOnce: RequestsAtOnce = { run: (_caller, work) => work() };

/** A caller without a running request takes no memory. */
export const createRequestsAtOnce = ({ running, waiting }: AtOnceLimit): RequestsAtOnce => {
  const lines = new Map<string, Line>();

  const lineOf = (caller: string): Line => {
    const line = lines.get(caller) ?? { running: 0, waiting: [] };
    lines.set(caller, line);
    return line;
  };

  /** Returns `undefined` if there is nothing to wait for, as almost always. */
  const enter = (line: Line): Promise<void> | undefined => {
    if (line.running < running) {
      line.running += 1;
      return undefined;
    }
    if (line.waiting.length >= waiting) {
      throw new AppError("rate_limited", {
        detail: `${running + waiting} of your requests are being answered already; wait for their answers.`,
        headers: { "retry-after": "1" },
      });
    }
    return new Promise((resolve) => line.waiting.push(resolve));
  };

  const leave = (caller: string, line: Line): void => {
    // The place goes to the next in line, so that a request that arrives now cannot get in front.
    const next = line.waiting.shift();
    if (next !== undefined) next();
    else {
      line.running -= 1;
      if (line.running === 0) lines.delete(caller);
    }
  };

  return {
    run: async (caller, work) => {
      const line = lineOf(caller);
      const turn = enter(line);
      if (turn !== undefined) await turn;
      try {
        return await work();
      } finally {
        leave(caller, line);
      }
    },
  };
};
