/**
 * Tells runners of the same process that work was committed, so that it starts within milliseconds
 * instead of at the next poll. If a call is lost, the work starts one poll later; no job is lost.
 */
export interface Wakeup {
  notify(): void;
  /** The returned function ends the subscription. */
  subscribe(listener: () => void): () => void;
}
