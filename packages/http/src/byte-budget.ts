import { createShares } from "./shares.ts";

/** The bytes of one body. */
interface BodyBytes {
  /**
   * Takes memory for a piece of the body; false when none of the shares that it may use has room.
   */
  take(bytes: number): boolean;
  /** Gives back everything that was taken. */
  release(): void;
}

/**
 * Bounds the body bytes in memory over all connections, so that no caller takes what others need.
 * An address has a share of the whole. An eighth is kept for small bodies, and a quarter for
 * addresses that have sent a webhook whose signature held.
 */
export interface ByteBudget {
  open(address: string): BodyBytes;
  /** From now on the address may use the part that is kept for proven senders. */
  prove(address: string): void;
  /** The bytes that are taken now. */
  readonly held: number;
}

/** Where each pool stands in `pools`. */
const general = 0;
const small = 1;
const proven = 2;

/** A body is small up to this length. */
const smallBytes = 64 * 1024;
/**
 * Proven addresses that are remembered; the one that proved itself longest ago is forgotten first.
 */
const mostProven = 1000;

export const createByteBudget = ({
  total,
  perAddress,
}: {
  readonly total: number;
  /**
   * The share of one address. It is also bounded by a quarter of each part that is kept for others.
   */
  readonly perAddress: number;
}): ByteBudget => {
  const kept = { small: Math.floor(total / 8), proven: Math.floor(total / 4) };
  const pools = [
    createShares({ total: total - kept.small - kept.proven, perAddress }),
    createShares({ total: kept.small, perAddress: Math.ceil(kept.small / 4) }),
    createShares({ total: kept.proven, perAddress: Math.min(kept.proven, perAddress) }),
  ] as const;
  const known = new Set<string>();

  return {
    open: (address) => {
      // What this body has taken from each pool. Three numbers: a map for every body costs more.
      const taken: [number, number, number] = [0, 0, 0];
      let length = 0;
      const from = (pool: 0 | 1 | 2, bytes: number): boolean => {
        if (!pools[pool].take(address, bytes)) return false;
        taken[pool] += bytes;
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
          for (const pool of [general, small, proven] as const) {
            if (taken[pool] > 0) pools[pool].release(address, taken[pool]);
            taken[pool] = 0;
          }
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
