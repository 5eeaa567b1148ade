/**
 * Tells runners of the same process that work was committed, so that it starts within milliseconds instead of at the next poll.
 * A lost call costs one poll interval, never a job.
 */
export interface Wakeup {
  notify(): void;
  /** What it returns ends the subscription. */
  subscribe(listener: () => void): () => void;
}
