/** Counts something bad that callers do, for each address and minute. */
export interface MinuteCounts {
  /** Counts one more; true when the address has had more than its number in this minute. */
  note(network: string): boolean;
  /** Whether the address has had its number in this minute. */
  areMany(network: string): boolean;
}

const windowMs = 60_000;
/** Addresses that are remembered; beyond it all others share one count. */
const mostAddresses = 10_000;
const others = "others";

interface Count {
  readonly untilMs: number;
  times: number;
}

/**
 * `report` is called for each address and minute with more than `mostPerMinute`, with the sum, when
 * the minute is over: one line in the log instead of one for each.
 */
export const createMinuteCounts = (
  mostPerMinute: number,
  report: (address: string, times: number) => void,
): MinuteCounts => {
  const counts = new Map<string, Count>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const end = (address: string, { times }: Count): void => {
    counts.delete(address);
    if (times > mostPerMinute) report(address, times);
  };

  /** Minutes begin one after the other, so the first entries end first. */
  const sweep = (): void => {
    timer = undefined;
    const nowMs = performance.now();
    for (const [address, count] of counts) {
      if (count.untilMs > nowMs) {
        wakeAt(count.untilMs);
        return;
      }
      end(address, count);
    }
  };

  const wakeAt = (atMs: number): void => {
    timer ??= setTimeout(sweep, Math.max(0, atMs - performance.now()));
    if (typeof timer === "object") timer.unref();
  };

  const countOf = (network: string): Count | undefined => {
    const count = counts.get(network);
    if (count === undefined || count.untilMs > performance.now()) return count;
    end(network, count);
    return undefined;
  };

  return {
    note: (network) => {
      const key = counts.has(network) || counts.size < mostAddresses ? network : others;
      const count = countOf(key) ?? { untilMs: performance.now() + windowMs, times: 0 };
      counts.set(key, count);
      count.times += 1;
      wakeAt(count.untilMs);
      return count.times > mostPerMinute;
    },
    areMany: (network) => {
      const count = countOf(network) ?? (counts.size < mostAddresses ? undefined : countOf(others));
      return (count?.times ?? 0) >= mostPerMinute;
    },
  };
};
