/**
 * Decides when nothing may begin, so that the system hands over the connections of a burst. It hands
 * over one in each turn of the event loop, so turns must be short until all of them have been taken.
 */
export interface BurstHold {
  /** Whether nothing may begin. */
  readonly isOn: boolean;
  /** Notes the beginning of a turn, and whether connections come in every turn. */
  note(isBurst: boolean, nowMs: number): void;
}

/** The longest hold. After a hold, nothing is held for as long as the hold took. */
const mostHeldMs = 100;

export const createBurstHold = (): BurstHold => {
  let sinceMs: number | undefined;
  let mayHoldMs = Number.NEGATIVE_INFINITY;
  return {
    get isOn() {
      return sinceMs !== undefined;
    },
    note: (isBurst, nowMs) => {
      if (sinceMs === undefined) {
        if (isBurst && nowMs >= mayHoldMs) sinceMs = nowMs;
      } else if (!isBurst || nowMs - sinceMs >= mostHeldMs) {
        mayHoldMs = nowMs + (nowMs - sinceMs);
        sinceMs = undefined;
      }
    },
  };
};
