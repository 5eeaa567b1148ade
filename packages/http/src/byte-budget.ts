import { createShares } from "./shares.ts";

/** The bytes of one body. */
interface BodyBytes {
  /** Takes memory for a piece of the body; false when none of the shares that it may use has room. */
  take(bytes: number): boolean;
  /** Gives back everything that was taken. */
  release(): void;
}

/**
 * Bounds the body bytes in memory over all connections, so that no caller takes what others need. An
 * address has a share of the whole. An eighth is kept for small bodies, and a quarter for addresses that
 * have sent a webhook whose signature held.
 */
export interface ByteBudget {
  open(address: string): BodyBytes;
  /** From now on the address may use the part that is kept for proven senders. */
  prove(address: string): void;
  /** The bytes that are taken now. */
  readonly held: number;
}

/** A body is small up to this length. */
const smallBytes = 64 * 1024;
/** Proven addresses that are remembered; the one that proved itself longest ago is forgotten first. */
const mostProven = 1000;

export const createByteBudget = ({
  total,
  perAddress,
}: {
  readonly total: number;
  /** The share of one address. It is also bounded by a quarter of each part that is kept for others. */
  readonly perAddress: number;
}): ByteBudget => {
  const kept = { small: Math.floor(total / 8), proven: Math.floor(total / 4) };
  const pools = [
    createShares({ total: total - kept.small - kept.proven, perAddress }),
    createShares({ total: kept.small, perAddress: Math.ceil(kept.small / 4) }),
    createShares({ total: kept.proven, perAddress: Math.min(kept.proven, perAddress) }),
  ] as const;
  const [general, small, proven] = pools;
  const known = new Set<string>();

  return {
    open: (address) => {
      const taken = new Map<(typeof pools)[number], number>();
      let length = 0;
      const from = (pool: (typeof pools)[number], bytes: number): boolean => {
        if (!pool.take(address, bytes)) return false;
        taken.set(pool, (taken.get(pool) ?? 0) + bytes);
        return true;
      };
      return {
        take: (bytes) => {
          length += bytes;
          return (
            from(general, bytes) ||
            (length <= smallBytes && from(small, bytes)) ||
            (known.has(address) && from(proven, bytes))
          );
        },
        release: () => {
          for (const [pool, bytes] of taken) pool.release(address, bytes);
          taken.clear();
        },
      };
    },
    prove: (address) => {
      if (known.has(address)) return;
      const [oldest] = known;
      if (known.size >= mostProven && oldest !== undefined) known.delete(oldest);
      known.add(address);
    },
    get held() {
      return pools.reduce((sum, { held }) => sum + held, 0);
    },
  };
};
