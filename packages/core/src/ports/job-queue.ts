import type { ClaimedJob, JobEnd, Lease, NewJob } from "./job.ts";

export interface ClaimRequest {
  readonly runnerId: number;
  readonly queue: string;
  /** 1 to 1,000. */
  readonly limit: number;
  readonly now: number;
  /** Only jobs of these kinds; of any kind when absent. */
  readonly kinds?: readonly string[];
  /**
   * `priority`, the default: smallest number first, then the job that has been ready for longest. `arrival`: of the priority whose first job has been
   * ready for longest, so that no priority is starved. `suspects`: jobs whose runner has died more than once; the other two leave these out.
   */
  readonly pick?: "priority" | "arrival" | "suspects";
  /**
   * The most jobs of the queue that run at once over all runners. It holds as long as each runner says the same number. Unlimited when absent.
   */
  readonly globalLimit?: number;
}

/** Free slots of a runner. */
export type SlotOffer = Pick<ClaimRequest, "runnerId" | "queue" | "limit" | "kinds">;

export interface JobOutcome {
  readonly job: Lease;
  readonly end: JobEnd;
}

/**
 * The queue: jobs are stored, handed to runners and ended. Driven port; `jobStoreContract` is its definition in code. Every move of a job is one guarded
 * write that names the state it leaves; leaving `running` also names the lease.
 */
export interface JobQueue {
  /** The jobs' ids, in order. Where a unique key was taken, the id of the job that has it. */
  enqueue(jobs: readonly NewJob[], now: number): Promise<readonly number[]>;
  /**
   * The same, and hands up to `limit` of the new jobs that belong to the offer's queue to its runner at once, as if it had claimed them: a fresh job
   * then starts with the commit that stores it. It hands out nothing where other jobs of the queue are ready already, where the queue is paused, or
   * where the runner was declared dead. A job with a due time, an order key or a unique key is never handed out.
   */
  enqueueFor(
    offer: SlotOffer,
    jobs: readonly NewJob[],
    now: number,
  ): Promise<{ readonly ids: readonly number[]; readonly claimed: readonly ClaimedJob[] }>;
  /**
   * Hands out up to `limit` ready jobs of a queue. Two claimers never get the same job. A claim that finds nothing writes nothing. A paused queue gives
   * nothing, and a runner that was declared dead gets nothing.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]>;
  /** Whether a claim would find something now. It changes nothing. */
  canClaim(request: Omit<ClaimRequest, "runnerId" | "limit" | "now">): Promise<boolean>;
  /**
   * Ends attempts. One answer per outcome, in order: false when the lease was lost (the job was recovered, ended, or never claimed with
   * it) and nothing was changed for it. Of two ends for one lease in one call the first counts. A job that was asked to stop and would run again is
   * cancelled instead. The next job of an ended one's order key becomes ready with it, as far as its `OrderRules` let it.
   */
  finish(outcomes: readonly JobOutcome[], now: number): Promise<readonly boolean[]>;
  /**
   * Whether a claim still holds (`held`, or `committed` after an end of that kind), was used to end the attempt (`spent`), or was taken away (`lost`). Ask this when the outcome of
   * `finish`, or of a transaction with it, is not known.
   */
  leaseState(lease: Lease): Promise<"held" | "committed" | "spent" | "lost">;
  /** Makes scheduled jobs whose time has come ready, or the next in line where another of the order key went ahead. How many. */
  promoteDue(now: number): Promise<number>;
  /** When the next scheduled job is due. */
  nextDueAt(): Promise<number | undefined>;
  /**
   * Gives the turn to the next in line of order keys in which no job has it. Nothing here leaves a key so; a restored or edited database may. How many
   * keys it found.
   */
  repairTurns(now: number): Promise<number>;
}
