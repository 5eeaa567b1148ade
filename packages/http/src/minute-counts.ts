/** Counts something bad that callers do, for each address and minute. */
export interface MinuteCounts {
  /** Counts one more; true when the address is now beyond its number for this minute. */
  note(network: string): boolean;
  /**
   * Whether the address has reached its number for this minute, or shares the count of all others
   * and these have. It is for the log, which a crowd must not fill.
   */
  areMany(network: string): boolean;
  /**
   * Whether the address itself has reached its number. False for an address that is not remembered:
   * nobody is slowed down for what others did.
   */
  areManyOfItself(network: string): boolean;
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
 * If an address had more than `mostPerMinute`, `report` gets the total when its minute is over. So
 * the log has one line instead of one for each.
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

  /** Entries stand in the order in which their minutes began, so the first ones end first. */
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

  const isMany = (count: Count | undefined): boolean => (count?.times ?? 0) >= mostPerMinute;

  return {
    note: (network) => {
      const key = counts.has(network) || counts.size < mostAddresses ? network : others;
      const count = countOf(key) ?? { untilMs: performance.now() + windowMs, times: 0 };
      counts.set(key, count);
      count.times += 1;
      wakeAt(count.untilMs);
      return count.times > mostPerMinute;
    },
    areMany: (network) => isMany(countOf(network) ?? (counts.size < mostAddresses ? undefined : countOf(others))),
    areManyOfItself: (network) => isMany(countOf(network)),
  };
};
