import { createShares, type Shares } from "./shares.ts";

/** The bytes of one body. */
export interface BodyBytes {
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
 * addresses that have sent a webhook with a valid signature.
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
   * The share of one address in the general part, and in the part for proven senders. In the part
   * for small bodies, an address may use a quarter.
   */
  readonly perAddress: number;
}): ByteBudget => {
  const kept = { small: Math.floor(total / 8), proven: Math.floor(total / 4) };
  const pools: Pools = {
    general: createShares({ total: total - kept.small - kept.proven, perAddress }),
    small: createShares({ total: kept.small, perAddress: Math.ceil(kept.small / 4) }),
    proven: createShares({ total: kept.proven, perAddress: Math.min(kept.proven, perAddress) }),
  };
  const known = new Set<string>();

  return {
    open: (address) => new TakenBytes(pools, known, address),
    prove: (address) => {
      if (known.has(address)) return;
      const [oldest] = known;
      if (known.size >= mostProven && oldest !== undefined) known.delete(oldest);
      known.add(address);
    },
    get held() {
      return pools.general.held + pools.small.held + pools.proven.held;
    },
  };
};

interface Pools {
  readonly general: Shares;
  readonly small: Shares;
  readonly proven: Shares;
}

/**
 * What one body has taken from each pool. Every request has one, so it is a class, because closures
 * cost more.
 */
class TakenBytes implements BodyBytes {
  readonly #pools: Pools;
  readonly #provenAddresses: ReadonlySet<string>;
  readonly #address: string;
  #length = 0;
  #general = 0;
  #small = 0;
  #proven = 0;

  constructor(pools: Pools, provenAddresses: ReadonlySet<string>, address: string) {
    this.#pools = pools;
    this.#provenAddresses = provenAddresses;
    this.#address = address;
  }

  take(bytes: number): boolean {
    const { general, small, proven } = this.#pools;
    const address = this.#address;
    this.#length += bytes;
    if (general.take(address, bytes)) this.#general += bytes;
    else if (this.#length <= smallBytes && small.take(address, bytes)) this.#small += bytes;
    else if (this.#provenAddresses.has(address) && proven.take(address, bytes)) this.#proven += bytes;
    else return false;
    return true;
  }

  release(): void {
    const { general, small, proven } = this.#pools;
    if (this.#general > 0) general.release(this.#address, this.#general);
    if (this.#small > 0) small.release(this.#address, this.#small);
    if (this.#proven > 0) proven.release(this.#address, this.#proven);
    this.#general = 0;
    this.#small = 0;
    this.#proven = 0;
  }
}
