/**
 * How much work each network has made recently, so that a late process refuses the networks that
 * make the most.
 */
export interface WorkOfLate {
  /** Notes a request of a network, or bytes of its bodies and answers. */
  note(network: string, units: number): void;
  /**
   * Whether a network made at least as much as the average of all networks that made any. Always
   * true for the only network.
   */
  isAboveAverage(network: string): boolean;
  /** Whether a network made less than half of that average. Never true for the only network. */
  isFarBelowAverage(network: string): boolean;
}

/** This many bytes of a body or of an answer count as much as a request. */
const bytesOfUnit = 16 * 1024;

export const unitsOf = (bytes: number): number => bytes / bytesOfUnit;

/** Work counts half as much after this time. */
const halfLifeMs = 1_000;
/** Networks that are remembered. Beyond it all are forgotten, which only costs some fairness. */
const mostRemembered = 10_000;
/** A network with less than this counts as one that made no work. */
const leastUnits = 0.05;
const forgetEveryMs = 1_000;
/** Sums of decaying numbers differ a little by the order in which they decay. */
const tolerance = 0.999;

interface Sum {
  units: number;
  atMs: number;
}

export const createWorkOfLate = (now: () => number = () => performance.now()): WorkOfLate => {
  const networks = new Map<string, Sum>();
  const all: Sum = { units: 0, atMs: now() };
  let forgottenMs = now();

  const unitsAt = ({ units, atMs }: Sum, nowMs: number): number => units * 0.5 ** ((nowMs - atMs) / halfLifeMs);
  const add = (sum: Sum, units: number, nowMs: number): void => {
    sum.units = unitsAt(sum, nowMs) + units;
    sum.atMs = nowMs;
  };

  const forget = (nowMs: number): void => {
    if (nowMs - forgottenMs < forgetEveryMs) return;
    forgottenMs = nowMs;
    for (const [network, sum] of networks) if (unitsAt(sum, nowMs) < leastUnits) networks.delete(network);
  };

  /** The work of a network, as a multiple of the average. `undefined` while no network made any. */
  const ofAverage = (network: string): number | undefined => {
    const nowMs = now();
    forget(nowMs);
    const sum = networks.get(network);
    if (networks.size === 0) return undefined;
    return (sum === undefined ? 0 : unitsAt(sum, nowMs)) / (unitsAt(all, nowMs) / networks.size);
  };

  return {
    note: (network, units) => {
      const nowMs = now();
      const known = networks.get(network);
      if (known === undefined && networks.size >= mostRemembered) {
        networks.clear();
        all.units = 0;
      }
      if (known === undefined) networks.set(network, { units, atMs: nowMs });
      else add(known, units, nowMs);
      add(all, units, nowMs);
    },
    isAboveAverage: (network) => (ofAverage(network) ?? 1) >= tolerance,
    isFarBelowAverage: (network) => (ofAverage(network) ?? 1) < 0.5,
  };
};
