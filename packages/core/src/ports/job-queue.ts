import type { ClaimedJob, Failed, JobEnd, Lease, NewJob } from "./job.ts";

export interface ClaimRequest {
  readonly runnerId: number;
  readonly queue: string;
  /** 1 to 1,000. */
  readonly limit: number;
  readonly now: number;
  /** Only jobs of these kinds; of any kind when absent. */
  readonly kinds?: readonly string[];
  /**
   * Which ready jobs come first. `priority` (the default): the smallest priority number, then the
   * job that has been ready for longest. `arrival`: jobs of the priority whose first job has been
   * ready for longest, so that no priority starves. `suspects`: only jobs whose runner has died
   * more than once; the other two leave these out.
   */
  readonly pick?: "priority" | "arrival" | "suspects";
  /**
   * How many jobs of the queue run at once over all runners, at most. It holds only if every runner
   * passes the same number. Unlimited if absent.
   */
  readonly globalLimit?: number;
  /**
   * The runner has said that it is idle. If jobs are found, it beats and takes that back, in the
   * transaction that takes them.
   */
  readonly endsIdle?: boolean;
}

/** Free slots of a runner. */
export type RunnerOffer = Pick<ClaimRequest, "runnerId" | "queue" | "limit" | "kinds">;

export interface JobOutcome {
  readonly job: Lease;
  readonly end: JobEnd;
}

/**
 * The queue: it stores jobs, hands them to runners and ends them. Driven port; `jobStoreContract`
 * is its definition in code. Every move of a job is one guarded write that names the state it
 * leaves. A move out of `running` also names the lease.
 */
export interface JobQueue {
  /**
   * Returns the jobs' ids, in order. If a unique key was taken, the id is that of the job that has
   * it.
   */
  enqueue(jobs: readonly NewJob[], now: number): Promise<readonly number[]>;
  /**
   * Like `enqueue`. It also hands up to `limit` of the new jobs to the offer's runner at once, as
   * if it had claimed them, so that a new job starts with the commit that stores it. Only jobs of
   * the offer's queue are handed out, and none with a due time, an order key or a unique key.
   * Nothing is handed out if other jobs of the queue are ready already, if the queue is paused, or
   * if the runner was declared dead.
   */
  enqueueFor(
    offer: RunnerOffer,
    jobs: readonly NewJob[],
    now: number,
  ): Promise<{ readonly ids: readonly number[]; readonly claimed: readonly ClaimedJob[] }>;
  /**
   * Hands out up to `limit` ready jobs of a queue. Two claimers never get the same job. A claim
   * that finds nothing writes nothing. A paused queue hands out nothing, and a runner that was
   * declared dead gets nothing.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]>;
  /** Whether a claim would find something now. It changes nothing. */
  canClaim(request: Omit<ClaimRequest, "runnerId" | "limit" | "now">): Promise<boolean>;
  /**
   * Ends attempts. Returns one result per outcome, in order: false if the lease was lost (the job
   * was recovered, ended, or never claimed with it); then nothing was changed for it. If one call
   * ends the same lease twice, the first counts. A job commits once: a second end `committed` is
   * answered with false. A job that somebody asked to cancel does not run again; it is cancelled. When a job ends, the next job of its order key becomes ready, if its
   * `OrderRules` allow it.
   */
  finish(outcomes: readonly JobOutcome[], now: number): Promise<readonly boolean[]>;
  /**
   * Keeps the failure of a handler that threw after its job was done by a commit with this lease. The
   * job stays done, and is kept as long as dead jobs are. Returns false, and changes nothing, for any
   * other job, and the second time.
   */
  failAfterCommit(lease: Lease, failure: Failed, now: number): Promise<boolean>;
  /**
   * Whether a claim still holds (`held`, or `committed` after an end of that kind), was used to end
   * the attempt (`spent`), or was taken away (`lost`). Ask this when the outcome of `finish`, or of
   * a transaction with it, is not known.
   */
  leaseState(lease: Lease): Promise<"held" | "committed" | "spent" | "lost">;
  /**
   * Makes scheduled jobs ready whose time has come. If another job of the order key went ahead, the
   * job becomes the next in line instead. Returns how many.
   */
  promoteDue(now: number): Promise<number>;
  /** When the next scheduled job is due. */
  nextDueAt(): Promise<number | undefined>;
  /**
   * Gives the turn to the next in line for order keys in which no job has it. Postern's own code
   * leaves no key like this; a restored or edited database may. Returns how many keys it found.
   */
  repairTurns(now: number): Promise<number>;
}
