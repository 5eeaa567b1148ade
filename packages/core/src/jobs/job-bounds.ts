/** How long a worker waits for work that does not end. */
export interface JobBounds {
  /**
   * For how many milliseconds the worker tries to write the end of a job, once a second, while the
   * storage is away. It holds the job meanwhile, and no other process may run it.
   */
  readonly endMs: number;
  /** How many times the worker tries to write the end of a job after any other failure. */
  readonly endTries: number;
  /**
   * For how many milliseconds a handler that was told to stop, and does not return, keeps its slot
   * and the turn of its order key.
   */
  readonly handlerStopMs: number;
}

export const defaultJobBounds: JobBounds = { endMs: 10 * 60_000, endTries: 10, handlerStopMs: 10_000 };
