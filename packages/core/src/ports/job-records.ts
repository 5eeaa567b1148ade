import type { Job, JobFailure, JobState } from "./job.ts";

export interface JobQuery {
  readonly eventId?: number;
  readonly state?: JobState;
  readonly kind?: string;
  readonly queue?: string;
  /** Only jobs with a smaller id. */
  readonly before?: number;
  /** 1 to 1,000. */
  readonly limit: number;
}

/** Stored jobs as operators see and change them. Driven port; `jobStoreContract` is its definition in code. */
export interface JobRecords {
  find(id: number): Promise<Job | undefined>;
  /** Newest first. */
  list(query: JobQuery): Promise<readonly Job[]>;
  /** The newest failures of a job, oldest first. */
  failures(id: number, limit: number): Promise<readonly JobFailure[]>;
  /** How many jobs are in each state now. */
  countByState(): Promise<Readonly<Record<JobState, number>>>;
  /**
   * Ends a job that is not running, or is dead and holds its order key (`cancelled`). Asks for the end of a job that is running (`requested`); its runner
   * finds that by `Runners.running`. `undefined`: the job has ended, or there is none.
   */
  cancel(id: number, now: number): Promise<"cancelled" | "requested" | undefined>;
  /**
   * Runs a job again. A scheduled job runs at once, or is the next in line of its order key. For a dead or cancelled job a new job takes its place, once,
   * and the old one stays as it is. The new job has the unique key of the old one. A dead job that held its order key passes the turn to the new one.
   * The id of the job that will run. `undefined` when the job is in no such state, was replaced before, the body of its event is no longer kept, or
   * another job has its unique key by now.
   */
  retry(id: number, now: number): Promise<number | undefined>;
}
