/** Stored as small integers; every move between them is in `docs/states.md`. */
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

/** What becomes of the turn of a job's order key, where it has one. */
export interface OrderRules {
  /**
   * While it waits to be run again: it keeps the turn (unless told), or lets the others of its key go ahead; once its time has come it is the next in
   * line, however many have passed.
   */
  readonly onRetry?: "keep" | "yield";
  /** When it is dead: the next in line has its turn (unless told), or nobody has until somebody runs it again, in its place, or cancels it. */
  readonly onDead?: "release" | "hold";
}

export interface NewJob extends OrderRules {
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
  /** Jobs of one key run one at a time, in the order they were stored; 1 to 191 bytes, compared bytewise. */
  readonly orderKey?: string;
  /** While a job with this key has not ended, no second one is stored. */
  readonly unique?: UniqueKey;
}

export interface UniqueKey {
  /** 1 to 191 bytes, compared bytewise. */
  readonly key: string;
  /**
   * What becomes of the job that has the key and has not begun to run: it stays as it is (`skip`, unless told), takes the new payload
   * (`replace`) or the new time (`reschedule`). One that runs is left alone.
   */
  readonly whenTaken?: "skip" | "replace" | "reschedule";
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
  | { readonly to: "ready" }
  /** Runs again at `at`, and this attempt does not count. */
  | { readonly to: "snoozed"; readonly at: number }
  /** Stopped because it was asked to. */
  | { readonly to: "cancelled" };

/** A claim as its holder knows it. */
export type Lease = Pick<ClaimedJob, "id" | "lease">;

export interface RunningJob extends Lease {
  /** When its end was asked for. */
  readonly cancelAt: number | undefined;
}

export interface JobOutcome {
  readonly job: Lease;
  readonly end: JobEnd;
}

export interface Job {
  readonly id: number;
  readonly eventId: number | undefined;
  readonly kind: string;
  readonly queue: string;
  readonly priority: number;
  readonly orderKey: string | undefined;
  /** It is dead, and the others of its order key wait until somebody runs it again or cancels it. */
  readonly holdsTurn: boolean;
  readonly state: JobState;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly losses: number;
  readonly dueAt: number | undefined;
  readonly lastError: string | undefined;
  readonly replayOf: number | undefined;
  /** When somebody asked for its end, while it was running. */
  readonly cancelAt: number | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/** One attempt that failed, or a runner that died. */
export interface JobFailure {
  readonly attempt: number;
  readonly at: number;
  readonly error: string;
}

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

export interface ClaimRequest {
  readonly runnerId: number;
  readonly queue: string;
  /** 1 to 1,000. */
  readonly limit: number;
  readonly now: number;
  /**
   * `priority` (unless told): smallest number first, then oldest. `arrival`: of the priority whose first job is the oldest, so that none is
   * starved. `suspects`: jobs whose runner has died more than once, which the other two leave out.
   */
  readonly pick?: "priority" | "arrival" | "suspects";
  /** No more of the queue's jobs than this run at once over all runners, as long as each of them says so; as many as they like when absent. */
  readonly globalLimit?: number;
}

/** A time at which a schedule fires. */
export interface FiredSlot {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly slot: number;
  readonly job: NewJob;
}

/** Free slots of a runner. */
export type SlotOffer = Pick<ClaimRequest, "runnerId" | "queue" | "limit">;

/** What of a queue is waiting for a runner. */
export interface QueueSummary {
  readonly name: string;
  readonly paused: boolean;
  /** Why it is paused, in the words of whoever did it. */
  readonly note: string | undefined;
  readonly ready: number;
  /** Since when the one that waits for longest has been ready: stored so, come due, or given the turn of its order key. */
  readonly oldestReadyAt: number | undefined;
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
  /** One whose runner died this often is a suspect: it is only handed out to who asks for suspects. */
  readonly suspectLosses: number;
  /** How long a job waits after its n-th loss. */
  readonly delayMs: (losses: number) => number;
}

/**
 * The queue. Driven port; `jobStoreContract` is its definition in code. Every move of a job is one guarded write that names the state it
 * leaves; leaving `running` also names the lease.
 */
export interface JobStore {
  /** The jobs' ids, in order. Where a unique key was taken, the id of the job that has it. */
  enqueue(jobs: readonly NewJob[], now: number): Promise<readonly number[]>;
  /**
   * The same, and hands up to `limit` of the new jobs that belong to the offer's queue to its runner at once, as if it had claimed them: a fresh job
   * then starts with the commit that stores it. None where others wait in the queue already, where it is paused, or where the runner was declared
   * dead; none that are for later, of an order key or of a unique key.
   */
  enqueueFor(
    offer: SlotOffer,
    jobs: readonly NewJob[],
    now: number,
  ): Promise<{ readonly ids: readonly number[]; readonly claimed: readonly ClaimedJob[] }>;
  /**
   * Hands out up to `limit` ready jobs of a queue. Two claimers never get the same job. A claim that finds nothing writes nothing; neither a
   * paused queue nor a runner declared dead gets any.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]>;
  /**
   * Ends attempts. One answer per outcome, in order: false when the lease was lost (the job was recovered, ended, or never claimed with
   * it) and nothing was changed for it. Of two ends for one lease the first counts. A job that was asked to stop and would run again is
   * cancelled instead. The next job of an ended one's order key becomes ready with it, as far as its `OrderRules` let it.
   */
  finish(outcomes: readonly JobOutcome[], now: number): Promise<readonly boolean[]>;
  /**
   * Whether a claim still holds (`held`), was used to end the attempt (`spent`), or was taken away (`lost`): what to ask when the outcome of
   * `finish` or of a transaction with it is not known.
   */
  leaseState(lease: Lease): Promise<"held" | "spent" | "lost">;
  /** Makes scheduled jobs whose time has come ready, or the next in line where another of the order key went ahead; how many. */
  promoteDue(now: number): Promise<number>;
  /** When the next scheduled job is due. */
  nextDueAt(): Promise<number | undefined>;
  find(id: number): Promise<Job | undefined>;
  /** Newest first. */
  list(query: JobQuery): Promise<readonly Job[]>;
  /** The newest failures of a job, oldest first. */
  failures(id: number, limit: number): Promise<readonly JobFailure[]>;
  /** How many jobs are in each state now. */
  countByState(): Promise<Readonly<Record<JobState, number>>>;
  /**
   * Ends a job that is not running, or is dead and holds its order key (`cancelled`); asks for the end of one that is (`requested`), which its runner
   * finds by `runningOf`. `undefined`: it has ended, or never was.
   */
  cancel(id: number, now: number): Promise<"cancelled" | "requested" | undefined>;
  /**
   * Gives the turn to the next in line of order keys whose turn is nobody's, in case a database was restored or changed by hand: nothing here leaves one so.
   * How many it found.
   */
  repairTurns(now: number): Promise<number>;
  /** What a runner has claimed and not ended, as the store knows it. */
  runningOf(runnerId: number): Promise<readonly RunningJob[]>;
  /**
   * Runs a job again: a scheduled one at once, or as the next in line; for a dead or cancelled one a new job takes its place, once, and the old one stays
   * as it is. What held its order key has the turn in its new job.
   * The id of the job that will run; `undefined` when its state is none of these, it was replaced before or the body of its event is kept no longer.
   */
  retry(id: number, now: number): Promise<number | undefined>;

  /**
   * Takes a schedule's time and enqueues its job, in one transaction. False when that time was taken before: of all processes that try, one gets it.
   */
  fireSlot(fired: FiredSlot, now: number): Promise<boolean>;
  /** The newest time of a schedule that was taken. */
  lastSlot(name: string): Promise<number | undefined>;

  /** Queues that are paused or have ready jobs, by name. */
  queues(): Promise<readonly QueueSummary[]>;
  /** From now on nothing of the queue is claimed; what runs goes on. */
  pauseQueue(queue: string, note: string | undefined, now: number): Promise<void>;
  resumeQueue(queue: string): Promise<void>;
  /** Whether a suspect is ready in the queue. */
  hasSuspects(queue: string): Promise<boolean>;

  /** A new live runner; its id is never used again. */
  registerRunner(name: string, now: number): Promise<number>;
  /** Raises the runner's beat. False when it has been declared dead: it must stop what it runs and register anew. */
  beat(runnerId: number, now: number): Promise<boolean>;
  /** All runners not declared dead. */
  liveRunners(): Promise<readonly RunnerRecord[]>;
  /**
   * Declares a runner dead and takes its running jobs back, in one transaction; one caller wins, the others get `undefined`. Each job
   * counts one loss more and is scheduled again (`recovered` counts these), or is dead after `maxLosses` (`dead`); one whose end was asked for is
   * cancelled.
   */
  recoverRunner(
    runnerId: number,
    policy: RecoveryPolicy,
  ): Promise<{ readonly recovered: number; readonly dead: number } | undefined>;
  /** Takes a runner that has nothing left to do off the list; one that still has jobs stays, so that they are taken back. */
  retireRunner(runnerId: number): Promise<void>;
}
