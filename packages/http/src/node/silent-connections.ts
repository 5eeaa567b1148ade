/**
 * Counts the connections that have begun of late and are without a request. Their requests come when
 * they like, maybe all in one turn of the event loop.
 */
export interface SilentConnections {
  add(nowMs: number): void;
  /** One of them has a request now. They differ only in their age, so it may be any of them. */
  removeOne(): void;
  /** Whether no further connection should begin now. */
  areMany(nowMs: number): boolean;
}

const most = 32;
/** A connection counts for this long, so that silent ones do not keep others waiting. */
const countedMs = 50;

export const createSilentConnections = (): SilentConnections => {
  /** When they began, the oldest first. */
  const sinceMs: number[] = [];
  const forgetOld = (nowMs: number): void => {
    while (nowMs - (sinceMs[0] ?? nowMs) >= countedMs) sinceMs.shift();
  };
  return {
    add: (nowMs) => {
      // Here, too: while no connection waits, nobody asks for their number.
      forgetOld(nowMs);
      sinceMs.push(nowMs);
    },
    removeOne: () => void sinceMs.shift(),
    areMany: (nowMs) => {
      forgetOld(nowMs);
      return sinceMs.length >= most;
    },
  };
};
