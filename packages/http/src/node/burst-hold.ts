/**
 * Decides when nothing may begin, so that the system hands over the connections of a burst. It hands
 * over one in each turn of the event loop, so turns must be short until all of them have been taken.
 */
export interface BurstHold {
  /** Whether nothing may begin. */
  readonly isOn: boolean;
  /**
   * Notes the end of a turn. `isBurst` says whether connections come in every turn. `workMs` is how
   * long the turn took if something began in it, otherwise 0.
   */
  note(turn: { readonly isBurst: boolean; readonly workMs: number }, nowMs: number): void;
}

/**
 * The longest hold, and the first one of a burst. After it, the server knows who has come, and begins
 * with those who have few connections.
 */
const mostHeldMs = 100;
/**
 * Each further hold takes this many times as long as the turn before it. So most of the time goes to
 * taking connections, and a request does not wait for long.
 */
const holdForWork = 3;

export const createBurstHold = (): BurstHold => {
  let untilMs: number | undefined;
  let endedMs = Number.NEGATIVE_INFINITY;
  return {
    get isOn() {
      return untilMs !== undefined;
    },
    note: ({ isBurst, workMs }, nowMs) => {
      if (untilMs !== undefined) {
        if (isBurst && nowMs < untilMs) return;
        untilMs = undefined;
        endedMs = nowMs;
      } else if (isBurst) {
        const isFirst = nowMs - endedMs >= mostHeldMs;
        const lengthMs = isFirst ? mostHeldMs : Math.min(mostHeldMs, holdForWork * workMs);
        if (lengthMs > 0) untilMs = nowMs + lengthMs;
      }
    },
  };
};
