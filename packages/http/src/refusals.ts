import type { HttpSettings } from "./options.ts";

/** Refused webhooks of each address, so that a stranger's forgeries do not fill the log. */
export interface Refusals {
  /**
   * Counts a webhook whose signature did not hold; true when the address has had more than its number
   * in this minute.
   */
  note(network: string): boolean;
  /**
   * Whether the address has had its number in this minute, so that further lines about it are left out.
   */
  areMany(network: string): boolean;
}

const windowMs = 60_000;
/** Addresses that are remembered; beyond it all others share one count. */
const mostAddresses = 10_000;
const others = "others";

interface Count {
  readonly untilMs: number;
  refused: number;
}

/**
 * For each address and minute with more refusals than that there is one log line, with the sum, when
 * the minute is over.
 */
export const createRefusals = ({
  telemetry,
  maxRefusedPerMinute: mostPerMinute,
}: Pick<HttpSettings, "telemetry" | "maxRefusedPerMinute">): Refusals => {
  const counts = new Map<string, Count>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const report = (address: string, { refused }: Count): void => {
    counts.delete(address);
    if (refused > mostPerMinute) telemetry.log("warn", "webhooks refused", { address, refused });
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
      report(address, count);
    }
  };

  const wakeAt = (atMs: number): void => {
    timer ??= setTimeout(sweep, Math.max(0, atMs - performance.now()));
    if (typeof timer === "object") timer.unref();
  };

  const countOf = (network: string): Count | undefined => {
    const count = counts.get(network);
    if (count === undefined || count.untilMs > performance.now()) return count;
    report(network, count);
    return undefined;
  };

  return {
    note: (network) => {
      const key = counts.has(network) || counts.size < mostAddresses ? network : others;
      const count = countOf(key) ?? { untilMs: performance.now() + windowMs, refused: 0 };
      counts.set(key, count);
      count.refused += 1;
      wakeAt(count.untilMs);
      return count.refused > mostPerMinute;
    },
    areMany: (network) => {
      const count = countOf(network) ?? (counts.size < mostAddresses ? undefined : countOf(others));
      return (count?.refused ?? 0) >= mostPerMinute;
    },
  };
};
