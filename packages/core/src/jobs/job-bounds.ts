/** How long a worker goes on with what does not end. */
export interface JobBounds {
  /**
   * For how many milliseconds the end of a job is tried to be written, once a second, while the
   * storage is away. The job is held meanwhile, and no other process may run it.
   */
  readonly endMs: number;
  /** How often the end of a job is tried to be written after any other failure. */
  readonly endTries: number;
  /**
   * How many milliseconds a handler that was told to stop, and does not return, keeps its slot and
   * the turn of its order key.
   */
  readonly handlerStopMs: number;
}

export const defaultJobBounds: JobBounds = { endMs: 10 * 60_000, endTries: 10, handlerStopMs: 10_000 };
