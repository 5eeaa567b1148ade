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

/** What an address may owe before its new connections wait. It pays off as much in a minute. */
const perMinute = 60;

/**
 * What each kind of waste costs. A connection that ends without an answer may be the preconnect of
 * a browser, of which an office makes many. One that its caller leaves while its request waits is
 * often one of hundreds of a client that stops. Node parses 64 KiB in one go, which can hold 1,300
 * requests or 10,000 chunks, whatever is answered; so beyond two in a minute, a connection with too
 * many pipelined requests costs all that may be owed.
 */
const prices = { unanswered: 0.2, left: 0.02, smallChunk: 0.01, pipelined: 60 } as const;
/** Connections with too many pipelined requests that an address may have in a minute. */
const pipelinedPerMinute = 2;

/**
 * Counts what no honest client does often. To take a connection costs as much as a small answer. So
 * an address that opens connections only to break them off gets further ones slowly until it has paid.
 */
export type Waste = ReturnType<typeof createWaste>;

export const createWaste = ({ telemetry }: Pick<HttpSettings, "telemetry">) => {
  const rate = createRate(perMinute, (address, times) =>
    telemetry.log("warn", "connections wasted: new ones of this address wait", { address, times }),
  );
  const pipelining = createRate(pipelinedPerMinute, () => undefined);
  const closed = (by: number): void => telemetry.count("http_connections_refused_total", { reason: "waste" }, by);
  closed(0);
  return {
    /** Returns whether the address now owes too much. */
    note: (network: string, kind: keyof typeof prices): boolean => {
      const isFree = kind === "pipelined" && !pipelining.note(network);
      return rate.note(network, isFree ? 0 : prices[kind]);
    },
    /** Whether an address owes too much. Its new connections then wait. */
    isInDebt: rate.isBeyond,
    /** Counts a connection that was closed at once, because too many wait. */
    noteClosed: (): void => closed(1),
  };
};
