/** The jobs of a queue that wait for a runner. */
export interface QueueSummary {
  readonly name: string;
  readonly paused: boolean;
  /** Why it is paused, in the words of the operator who paused it. */
  readonly note: string | undefined;
  readonly ready: number;
  /**
   * Since when the longest-waiting job has been ready: since it was stored, came due, or got the
   * turn of its order key.
   */
  readonly oldestReadyAt: number | undefined;
}

/** The jobs of a queue that run now, over all runners. */
export interface RunningInQueue {
  readonly queue: string;
  readonly running: number;
  /** When the longest-running of them was claimed. */
  readonly oldestStartedAt: number;
  /** When the newest of them was claimed. */
  readonly newestStartedAt: number;
}

/** The jobs of a queue that have ended. */
interface EndedInQueue {
  readonly queue: string;
  readonly ended: number;
}

export interface ReadyKind {
  readonly kind: string;
  readonly ready: number;
}

/**
 * The queues by name. A queue needs no declaration; it exists while a job names it. Driven port;
 * `jobStoreContract` is its definition in code.
 */
export interface Queues {
  /** Queues that are paused or have ready jobs, by name. */
  list(): Promise<readonly QueueSummary[]>;
  /** From now on no job of the queue is claimed. Running jobs go on. */
  pause(queue: string, note: string | undefined, now: number): Promise<void>;
  resume(queue: string): Promise<void>;
  /** The queues with running jobs, by name. */
  running(): Promise<readonly RunningInQueue[]>;
  /** How many jobs of each queue have ended from `since` (milliseconds since the epoch) on, by name. */
  ended(since: number): Promise<readonly EndedInQueue[]>;
  /** How many jobs of each kind are ready, at most 1,000 kinds, by name. */
  readyKinds(): Promise<readonly ReadyKind[]>;
}
