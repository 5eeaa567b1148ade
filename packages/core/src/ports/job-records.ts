import type { Job, JobFailure, JobState } from "./job.ts";

/** Which jobs. All that is given must hold. */
export interface JobFilter {
  readonly eventId?: number;
  readonly state?: JobState;
  readonly kind?: string;
  readonly queue?: string;
  /** True: only jobs that no other job has replaced. */
  readonly current?: true;
  /** Only jobs of these kinds, or only jobs of other kinds than these. */
  readonly kinds?: { readonly in: readonly string[] } | { readonly notIn: readonly string[] };
  /** Only jobs whose latest failure has this cause. */
  readonly cause?: string;
  /** Only jobs about an event of this sender. */
  readonly provider?: string;
  /** Stored at this time (milliseconds since the epoch) or later. */
  readonly since?: number;
  /** Stored before this time. */
  readonly until?: number;
}

export interface JobQuery extends JobFilter {
  /** Only jobs with a smaller id. */
  readonly before?: number;
  /** Only jobs with a larger id; these come oldest first. */
  readonly after?: number;
  /** 1 to 1,000. */
  readonly limit: number;
}

/** Failures of one cause (`causeId`). */
export interface FailureCause {
  readonly id: string;
  /** How many there are: 1 or more. */
  readonly failures: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The last failure of its newest event; if it has no event, its last failure. */
  readonly example: {
    readonly jobId: number;
    readonly eventId: number | undefined;
    readonly kind: string;
    readonly at: number;
    /** The error, and below it the lines of its stack. */
    readonly error: string;
  };
}

export interface FailureCauses {
  /** How many failures there are, of all causes. */
  readonly failures: number;
  /** Most failures first. */
  readonly causes: readonly FailureCause[];
}

/**
 * Stored jobs as operators see and change them. Driven port; `jobStoreContract` is its definition
 * in code.
 */
export interface JobRecords {
  find(id: number): Promise<Job | undefined>;
  /** Newest first, unless `after` is given. */
  list(query: JobQuery): Promise<readonly Job[]>;
  /** The number of jobs, counted up to `atMost`; with `after`, of those with a larger id. */
  count(filter: JobFilter & Pick<JobQuery, "after">, atMost: number): Promise<number>;
  /**
   * The jobs of the same order key that were stored before and after a job, the nearest first: at most
   * `limit` (1 to 1,000) on each side, of the 10,000 ids next to it. None if it has no order key.
   */
  neighbours(id: number, limit: number): Promise<{ readonly before: readonly Job[]; readonly after: readonly Job[] }>;
  /** The newest failures of a job, oldest first. */
  failures(id: number, limit: number): Promise<readonly JobFailure[]>;
  /**
   * The causes of the failures from `since` (milliseconds since the epoch) on, at most `limit` (1 to
   * 1,000). A failure counts for as long as its job is kept.
   */
  causes(query: { readonly since: number; readonly limit: number }): Promise<FailureCauses>;
  /**
   * How many jobs are in each state now. A dead job that was replaced does not count: its work was
   * taken over.
   */
  countByState(): Promise<Readonly<Record<JobState, number>>>;
  /**
   * Cancels a job that is not running, or that is dead and holds its order key (`cancelled`). For a
   * running job it only asks (`requested`); the runner finds this with `Runners.running`.
   * `undefined`: the job has ended, or does not exist.
   */
  cancel(id: number, now: number): Promise<"cancelled" | "requested" | undefined>;
  /**
   * Runs a job again, and returns the id of the job that will run. A scheduled job runs at once, or
   * is the next in line of its order key. A dead or cancelled job is replaced by a new job, once;
   * the old one stays as it is. The new job has the unique key of the old one, and takes over its
   * turn if the dead job held its order key. Returns `undefined` if the job is in another state,
   * was replaced before, its event was discarded or has no body any more, or another job has its
   * unique key by now.
   */
  retry(id: number, now: number): Promise<number | undefined>;
}
