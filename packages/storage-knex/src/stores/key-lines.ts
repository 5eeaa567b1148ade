import type { RateLimitRequest } from "@postern/core";
import { createSerialByKey } from "@postern/core/parts";

/** The uses of one key that wait for each other. */
interface Line {
  uses: number;
  /** The last failure, and the last use that had come by then. */
  failure?: { readonly cause: unknown; readonly arrival: number };
}

/** Lets the uses of each key come one after the other. */
export interface KeyLines {
  /** Runs `work` on a key after all earlier work on it. */
  inLine<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` on several keys after all earlier work on each of them. */
  inLines<Result>(requests: readonly RateLimitRequest[], work: () => Promise<Result>): Promise<Result>;
}

/**
 * If work fails, the work that waits behind it fails in the same way: each try could take seconds,
 * one after the other, while the database is away.
 */
export const createKeyLines = (): KeyLines => {
  const serially = createSerialByKey();
  const lines = new Map<string, Line>();
  let arrivals = 0;

  const inLine = async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const line = lines.get(key) ?? { uses: 0 };
    lines.set(key, line);
    line.uses += 1;
    arrivals += 1;
    const arrival = arrivals;
    try {
      return await serially(key, async () => {
        if (line.failure !== undefined && arrival <= line.failure.arrival) throw line.failure.cause;
        return work().catch((cause: unknown) => {
          line.failure = { cause, arrival: arrivals };
          throw cause;
        });
      });
    } finally {
      line.uses -= 1;
      if (line.uses === 0) lines.delete(key);
    }
  };

  const inLines = <Result>(requests: readonly RateLimitRequest[], work: () => Promise<Result>): Promise<Result> => {
    // All join the lines in the same order, so that no two of them wait for each other.
    const keys = [...new Set(requests.map(({ key }) => key))].toSorted();
    return keys.reduceRight((next, key) => () => inLine(key, next), work)();
  };

  return { inLine, inLines };
};
