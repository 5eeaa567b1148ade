/** How often each address may do something that costs more than it brings. */
export interface Rate {
  /** Notes one more, of this price. Returns whether the address is now beyond its rate. */
  note(address: string, price?: number): boolean;
  /** Whether the next one of an address would be beyond its rate. */
  isBeyond(address: string): boolean;
}

interface Debt {
  units: number;
  atMs: number;
  /** What was noted beyond the rate since the last report. */
  beyond: number;
}

/** Addresses that are remembered; beyond it all others share one debt. */
const mostAddresses = 10_000;
const others = "others";
const minuteMs = 60_000;
/** What an address owes is forgiven after at most two minutes. */
const mostMinutes = 2;

/**
 * The generic cell rate algorithm: what is noted becomes a debt, which is paid off at `perMinute`.
 * An address is beyond its rate while it owes more than a minute's worth. `report` gets what was
 * beyond the rate once a minute, so that the log has one line instead of one for each.
 */
export const createRate = (perMinute: number, report: (address: string, times: number) => void): Rate => {
  const debts = new Map<string, Debt>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const unitsOf = ({ units, atMs }: Debt, nowMs: number): number =>
    Math.max(0, units - ((nowMs - atMs) * perMinute) / minuteMs);

  const sweep = (): void => {
    timer = undefined;
    const nowMs = performance.now();
    for (const [address, debt] of debts) {
      if (debt.beyond > 0) report(address, debt.beyond);
      debt.beyond = 0;
      if (unitsOf(debt, nowMs) === 0) debts.delete(address);
    }
    if (debts.size > 0) sweepLater();
  };
  const sweepLater = (): void => {
    timer ??= setTimeout(sweep, minuteMs);
    if (typeof timer === "object") timer.unref();
  };

  return {
    note: (address, price = 1) => {
      const nowMs = performance.now();
      const key = debts.has(address) || debts.size < mostAddresses ? address : others;
      const debt = debts.get(key) ?? { units: 0, atMs: nowMs, beyond: 0 };
      debts.set(key, debt);
      debt.units = Math.min(unitsOf(debt, nowMs) + price, mostMinutes * perMinute);
      debt.atMs = nowMs;
      sweepLater();
      if (debt.units <= perMinute) return false;
      debt.beyond += 1;
      return true;
    },
    isBeyond: (address) => {
      const debt = debts.get(address);
      return debt !== undefined && unitsOf(debt, performance.now()) > perMinute - 1;
    },
  };
};
