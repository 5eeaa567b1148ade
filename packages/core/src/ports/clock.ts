/**
 * Time and timers. Driven port. Core never asks the platform for the time, so all of it can run
 * under a virtual clock.
 */
export interface Clock {
  /**
   * Wall time in milliseconds since the epoch (UTC). It may jump in either direction; measure
   * intervals with `monotonic`.
   */
  now(): number;
  /**
   * Milliseconds since an arbitrary start. It never goes back and does not follow changes of the
   * wall clock.
   */
  monotonic(): number;
  /**
   * Calls `run` once, no sooner than `delayMs` (0 or more) from now. The returned function cancels
   * the call; cancelling late or twice does nothing. A pending call does not keep the process
   * alive.
   */
  after(delayMs: number, run: () => void): () => void;
  /**
   * Resolves once everything that the process has received by now has been looked at. No time needs
   * to pass. Under a virtual clock nothing needs to be advanced.
   */
  nextLoopTurn(): Promise<void>;
}
