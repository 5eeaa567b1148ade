import type { Clock } from "@postern/core/ports";

type CircuitState = "closed" | "open" | "half-open";

/**
 * Decides whether a target should be called. After some failures in a row the circuit is open: no
 * call is made for a while. Then one call may try (half-open). If it succeeds, the circuit is
 * closed; if not, it is open again, each time for twice as long, up to the longest wait. It only
 * matters whether the target works, not whether it accepts what it is sent.
 */
export interface CircuitBreaker {
  /**
   * Whether you may call the target now. After true, report the result with `succeeded` or
   * `failed`.
   */
  tryCall(): boolean;
  succeeded(): void;
  failed(): void;
  /** Reports that the target asked not to be called before this time on the monotonic clock. */
  holdUntil(at: number): void;
  readonly state: CircuitState;
}

export interface CircuitLimits {
  /** How many failures in a row open the circuit. */
  readonly failures: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

const defaultCircuitLimits: CircuitLimits = { failures: 5, firstWaitMs: 10_000, longestWaitMs: 300_000 };

export const createCircuitBreaker = (
  clock: Pick<Clock, "monotonic">,
  { failures, firstWaitMs, longestWaitMs }: CircuitLimits = defaultCircuitLimits,
): CircuitBreaker => {
  let inARow = 0;
  let openings = 0;
  let closedFrom = Number.NEGATIVE_INFINITY;
  let probing = false;

  const state = (): CircuitState => {
    if (openings === 0) return clock.monotonic() < closedFrom ? "open" : "closed";
    return clock.monotonic() < closedFrom || probing ? "open" : "half-open";
  };

  return {
    get state() {
      return state();
    },
    tryCall: () => {
      const now = state();
      if (now === "half-open") probing = true;
      return now !== "open";
    },
    succeeded: () => {
      inARow = 0;
      openings = 0;
      probing = false;
    },
    failed: () => {
      // Calls that were under way when it opened add no information.
      const news = probing || clock.monotonic() >= closedFrom;
      probing = false;
      inARow += 1;
      if (inARow < failures || !news) return;
      closedFrom = Math.max(closedFrom, clock.monotonic() + Math.min(firstWaitMs * 2 ** openings, longestWaitMs));
      openings += 1;
    },
    holdUntil: (at) => {
      closedFrom = Math.max(closedFrom, at);
    },
  };
};
