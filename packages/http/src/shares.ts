/** Bounds something that callers take and give back: in total, and for each address. */
export interface Shares {
  /** Takes `amount` for an address if it still fits both bounds. */
  take(address: string, amount: number): boolean;
  release(address: string, amount: number): void;
  /** How much an address could take now. */
  freeFor(address: string): number;
  /** How much of its own share an address has not taken, whatever others hold. */
  unusedOf(address: string): number;
  /** The most that any address may hold. */
  readonly most: number;
  /** The amount that is taken now, by all addresses. */
  readonly held: number;
  heldBy(address: string): number;
}

/** The map holds only addresses that hold something, so it is bounded by what can be taken. */
export const createShares = ({
  total,
  perAddress,
}: {
  readonly total: number;
  readonly perAddress: number;
}): Shares => {
  const byAddress = new Map<string, number>();
  let held = 0;
  const most = Math.min(total, perAddress);
  return {
    take: (address, amount) => {
      const own = byAddress.get(address) ?? 0;
      if (held + amount > total || own + amount > perAddress) return false;
      held += amount;
      byAddress.set(address, own + amount);
      return true;
    },
    release: (address, amount) => {
      held -= amount;
      const own = (byAddress.get(address) ?? 0) - amount;
      if (own > 0) byAddress.set(address, own);
      else byAddress.delete(address);
    },
    freeFor: (address) => Math.min(total - held, perAddress - (byAddress.get(address) ?? 0)),
    unusedOf: (address) => most - (byAddress.get(address) ?? 0),
    most,
    get held() {
      return held;
    },
    heldBy: (address) => byAddress.get(address) ?? 0,
  };
};
