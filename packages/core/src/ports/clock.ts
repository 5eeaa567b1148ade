/**
 * Time and timers. Driven port: core never asks the platform what time it is, so that all of it runs under a virtual clock.
 */
export interface Clock {
  /** Wall time in milliseconds since the epoch (UTC). May jump either way; intervals are measured with `monotonic`. */
  now(): number;
  /** Milliseconds from an arbitrary start. Never goes back and does not follow changes of the wall clock. */
  monotonic(): number;
  /**
   * Calls `run` once, no sooner than `delayMs` (0 or more) from now. What it returns cancels the call; cancelling late or twice
   * does nothing. A pending call does not keep the process alive.
   */
  after(delayMs: number, run: () => void): () => void;
}
