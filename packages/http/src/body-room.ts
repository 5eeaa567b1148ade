import { createShares } from "./shares.ts";

/** What a body has taken of each part of the room. */
export interface TakenRoom {
  small: number;
  general: number;
  proven: number;
}

/** The memory for bodies, in its parts. */
export interface BodyRoom {
  /**
   * Whether an address may take so many bytes now: `full` if it could but for what others hold of the
   * general part, `no` if its own share is used up. With `leavesGeneral` it takes nothing of the
   * general part.
   */
  fits(address: string, bytes: number, isSmall: boolean, leavesGeneral: boolean): "yes" | "full" | "no";
  /** Takes so many bytes that fit, and adds them to `taken`. */
  take(address: string, bytes: number, isSmall: boolean, taken: TakenRoom): void;
  /** Gives back all that was taken. */
  release(address: string, taken: TakenRoom): void;
  /** From now on the address may use the part for proven senders. False if it could before. */
  prove(address: string): boolean;
  /** The most bytes that a body of an address may take. */
  mostOf(address: string): number;
  readonly held: number;
}

/**
 * Proven addresses that are remembered; the one that proved itself longest ago is forgotten first.
 */
const mostProven = 1000;

/**
 * An address has a share of the whole. An eighth is kept for small bodies, of which an address may
 * use a quarter. A quarter is kept for addresses that have sent a webhook with a valid signature.
 */
export const createBodyRoom = ({
  total,
  perAddress,
}: {
  readonly total: number;
  /** The share of one address in the general part, and in the part for proven senders. */
  readonly perAddress: number;
}): BodyRoom => {
  const kept = { small: Math.floor(total / 8), proven: Math.floor(total / 4) };
  const parts = {
    small: createShares({ total: kept.small, perAddress: Math.ceil(kept.small / 4) }),
    general: createShares({ total: total - kept.small - kept.proven, perAddress }),
    proven: createShares({ total: kept.proven, perAddress: Math.min(kept.proven, perAddress) }),
  };
  const names = ["small", "general", "proven"] as const;
  const known = new Set<string>();

  const mayUse = (name: keyof TakenRoom, address: string, isSmall: boolean): boolean =>
    name === "general" || (name === "small" ? isSmall : known.has(address));

  return {
    fits: (address, bytes, isSmall, leavesGeneral) => {
      const { small, general, proven } = parts;
      const others = (isSmall ? small.freeFor(address) : 0) + (known.has(address) ? proven.freeFor(address) : 0);
      if (others + (leavesGeneral ? 0 : general.freeFor(address)) >= bytes) return "yes";
      return others + general.unusedOf(address) >= bytes ? "full" : "no";
    },
    take: (address, bytes, isSmall, taken) => {
      let rest = bytes;
      for (const name of names) {
        if (!mayUse(name, address, isSmall)) continue;
        const amount = Math.min(rest, parts[name].freeFor(address));
        parts[name].take(address, amount);
        taken[name] += amount;
        rest -= amount;
        if (rest === 0) return;
      }
    },
    release: (address, taken) => {
      for (const name of names) {
        if (taken[name] > 0) parts[name].release(address, taken[name]);
        taken[name] = 0;
      }
    },
    prove: (address) => {
      if (known.has(address)) return false;
      const [oldest] = known;
      if (known.size >= mostProven && oldest !== undefined) known.delete(oldest);
      known.add(address);
      return true;
    },
    mostOf: (address) => parts.general.most + (known.has(address) ? parts.proven.most : 0),
    get held() {
      return parts.small.held + parts.general.held + parts.proven.held;
    },
  };
};
