/**
 * Tells runners that work was committed, so that it starts within milliseconds instead of at the next
 * poll. It reaches those of the same process, and those of others where the database carries it. If a
 * call is lost, the work starts one poll later; no job is lost.
 */
export interface Wakeup {
  notify(): void;
  /** The returned function ends the subscription. */
  subscribe(listener: () => void): () => void;
  /**
   * Says whether the subscriber of this process waits for work. While it does not, other processes
   * spare the message. Absent if there is no message to spare.
   */
  waits?(isWaiting: boolean): void;
  /**
   * Whether this process hears of what other processes commit, as was checked lately. When it ends, the
   * subscribers are called. Absent where no message comes from other processes.
   */
  reaches?(): boolean;
}
