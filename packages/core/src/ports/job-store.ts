/** Stored as small integers; every move between them is in `docs/states.md`. `blocked` and `cancelled` are reserved for the queue's later features. */
export const jobStates = {
  ready: 0,
  scheduled: 1,
  running: 2,
  blocked: 3,
  done: 4,
  dead: 5,
  cancelled: 6,
} as const;

export type JobState = keyof typeof jobStates;

export interface NewJob {
  /** The handler's name; 1 to 128 ASCII characters. */
  readonly kind: string;
  /** `default` unless told; 1 to 64 ASCII characters. */
  readonly queue?: string;
  /** Smaller first; 0 unless told. */
  readonly priority?: number;
  readonly maxAttempts: number;
  /** Not before this time (milliseconds since the epoch); at once when absent. */
  readonly dueAt?: number;
  /** For jobs that are not about an event: JSON, up to 64 KiB. */
  readonly payload?: unknown;
}

/** A job in the hands of a runner. `lease` is unique to this claim: only its holder can end the attempt. */
export interface ClaimedJob {
  readonly id: number;
  readonly lease: number;
  readonly kind: string;
  readonly queue: string;
  /** This run's number, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** How often a runner died while it ran this job. */
  readonly losses: number;
  readonly eventId: number | undefined;
  readonly payload: unknown;
  readonly createdAt: number;
}

export type JobEnd =
  | { readonly to: "done" }
  /** Runs again at `at`; the failure is kept with the job. */
  | { readonly to: "scheduled"; readonly at: number; readonly error: string }
  | { readonly to: "dead"; readonly error: string }
  /** Given back without having run: the attempt does not count. */
  | { readonly to: "ready" };

export interface JobOutcome {
  readonly job: Pick<ClaimedJob, "id" | "lease">;
  readonly end: JobEnd;
}

export interface Job {
  readonly id: number;
  readonly eventId: number | undefined;
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly losses: number;
  readonly dueAt: number | undefined;
  readonly lastError: string | undefined;
  readonly replayOf: number | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

export interface JobQuery {
  readonly eventId?: number;
  readonly state?: JobState;
  readonly kind?: string;
  /** Only jobs with a smaller id. */
  readonly before?: number;
  /** 1 to 1,000. */
  readonly limit: number;
}

export interface ClaimRequest {
  readonly runnerId: number;
  readonly queue: string;
  /** 1 to 1,000. */
  readonly limit: number;
  readonly now: number;
}

/** A runner as the others see it. `beat` is a counter: watched with one's own monotonic clock, so that no two wall clocks are compared. */
export interface RunnerRecord {
  readonly id: number;
  readonly name: string;
  readonly beat: number;
}

export interface RecoveryPolicy {
  readonly now: number;
  /** A job whose runner died this often is dead. */
  readonly maxLosses: number;
  /** How long a job waits after its n-th loss. */
  readonly delayMs: (losses: number) => number;
}

/**
 * The queue. Driven port; `jobStoreContract` is its definition in code. Every move of a job is one guarded write that names the state it
 * leaves; leaving `running` also names the lease.
 */
export interface JobStore {
  /** The new jobs' ids, in order. */
  enqueue(jobs: readonly NewJob[], now: number): Promise<readonly number[]>;
  /**
   * Hands out up to `limit` ready jobs of a queue, lowest priority number first, then oldest. Two claimers never get the same job. A claim
   * that finds nothing writes nothing.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]>;
  /**
   * Ends attempts. One answer per outcome, in order: false when the lease was lost (the job was recovered, ended, or never claimed with
   * it) and nothing was changed for it.
   */
  finish(outcomes: readonly JobOutcome[], now: number): Promise<readonly boolean[]>;
  /** Makes scheduled jobs whose time has come ready; how many. */
  promoteDue(now: number): Promise<number>;
  /** When the next scheduled job is due. */
  nextDueAt(): Promise<number | undefined>;
  find(id: number): Promise<Job | undefined>;
  /** Newest first. */
  list(query: JobQuery): Promise<readonly Job[]>;
  /** How many jobs are in each state now. */
  countByState(): Promise<Readonly<Record<JobState, number>>>;

  /** A new live runner; its id is never used again. */
  registerRunner(name: string, now: number): Promise<number>;
  /** Raises the runner's beat. False when it has been declared dead: it must stop what it runs and register anew. */
  beat(runnerId: number, now: number): Promise<boolean>;
  /** All runners not declared dead. */
  liveRunners(): Promise<readonly RunnerRecord[]>;
  /**
   * Declares a runner dead and takes its running jobs back, in one transaction; one caller wins, the others get `undefined`. Each job
   * counts one loss more and is scheduled again, or is dead after `maxLosses`. Answers the jobs that died.
   */
  recoverRunner(
    runnerId: number,
    policy: RecoveryPolicy,
  ): Promise<{ readonly recovered: number; readonly dead: number } | undefined>;
  /** Takes a runner that has nothing left to do off the list. */
  retireRunner(runnerId: number): Promise<void>;
}
