import type { HttpSettings } from "../options.ts";

/** How often each address may do something that costs more than it brings. */
export type Rate = ReturnType<typeof createRate>;

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
export const createRate = (perMinute: number, report: (address: string, times: number) => void) => {
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
    /** Notes one more, of this price. Returns whether the address is now beyond its rate. */
    note: (address: string, price = 1): boolean => {
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
    /** Whether the next one of an address would be beyond its rate. */
    isBeyond: (address: string): boolean => {
      const debt = debts.get(address);
      return debt !== undefined && unitsOf(debt, performance.now()) > perMinute - 1;
    },
  };
};

/** What an address may owe before its new connections are closed. It pays off as much in a minute. */
const perMinute = 60;

/**
 * What each kind of waste costs. A connection that ends without an answer may be the preconnect of
 * a browser, of which an office makes many. One that its caller leaves while its request waits is
 * often one of hundreds of a client that stops. Node parses 64 KiB in one go, which can hold 1,300
 * requests or 10,000 chunks, whatever is answered; so two such connections a minute are enough.
 */
const prices = { unanswered: 0.2, left: 0.02, smallChunk: 0.01, pipelined: 30 } as const;

/**
 * Counts what no honest client does often. To take a connection costs as much as a small answer. So
 * an address that opens connections only to break them off gets no further one until it has paid.
 */
export type Waste = ReturnType<typeof createWaste>;

export const createWaste = ({ telemetry }: Pick<HttpSettings, "telemetry">) => {
  const rate = createRate(perMinute, (address, times) =>
    telemetry.log("warn", "connections wasted: new ones of this address are closed at once", { address, times }),
  );
  const closed = (by: number): void => telemetry.count("http_connections_refused_total", { reason: "waste" }, by);
  closed(0);
  return {
    /** Returns whether the address now owes too much. */
    note: (network: string, kind: keyof typeof prices): boolean => rate.note(network, prices[kind]),
    /** Whether to take a new connection. Counts those that are not taken. */
    admits: (network: string): boolean => {
      if (!rate.isBeyond(network)) return true;
      closed(1);
      return false;
    },
  };
};
