import type { LogFields, LogLevel } from "./telemetry.ts";

/**
 * The states of a job, stored as small integers. `jobs/job-life-cycle.ts` lists the moves between
 * them.
 */
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

/**
 * What happens to the turn of a job's order key. Neither has an effect for a job without an order
 * key.
 */
export interface OrderRules {
  /**
   * While the job waits for its next attempt. `keep` (the default): the other jobs of its key wait,
   * too. `yield`: they go ahead. When the job is due it is next in line, however many have gone
   * ahead.
   */
  readonly onRetry?: "keep" | "yield";
  /**
   * When the job is dead. `release` (the default): the next job of its key runs. `hold`: the other
   * jobs wait until somebody runs the dead job again (the new job then takes its place) or cancels
   * it.
   */
  readonly onDead?: "release" | "hold";
}

export interface NewJob extends OrderRules {
  /** The handler's name; 1 to 128 ASCII characters. */
  readonly kind: string;
  /** Default `default`; 1 to 64 ASCII characters. */
  readonly queue?: string;
  /** Smaller numbers run first. Default 0. */
  readonly priority?: number;
  readonly maxAttempts: number;
  /**
   * Not before this time (milliseconds since the epoch, by the database's clock); at once if absent.
   */
  readonly dueAt?: number;
  /** JSON, up to 64 KiB. For jobs that are not about an event. */
  readonly payload?: unknown;
  /**
   * Jobs with the same key run one at a time, in the order in which they were stored. 1 to 191
   * bytes, compared bytewise.
   */
  readonly orderKey?: string;
  /** No second job with this key is stored until the first has ended. */
  readonly unique?: UniqueKey;
}

interface UniqueKey {
  /** 1 to 191 bytes, compared bytewise. */
  readonly key: string;
  /**
   * What happens to a waiting job that has the key. `skip` (the default): it stays as it is.
   * `replace`: it gets the new payload. `reschedule`: it gets the new time. A running job stays as
   * it is.
   */
  readonly whenTaken?: "skip" | "replace" | "reschedule";
}

export interface Job {
  readonly id: number;
  readonly eventId: number | undefined;
  readonly kind: string;
  readonly queue: string;
  readonly priority: number;
  readonly orderKey: string | undefined;
  /**
   * The job is dead, and the others of its order key wait until somebody runs it again or cancels
   * it.
   */
  readonly holdsTurn: boolean;
  readonly state: JobState;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** How often a runner died while it ran this job. */
  readonly losses: number;
  readonly dueAt: number | undefined;
  readonly lastError: string | undefined;
  /** The job that this one has replaced. */
  readonly replayOf: number | undefined;
  /** When somebody asked to cancel it, while it was running. */
  readonly cancelAt: number | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/**
 * A job that a runner has claimed. `lease` is unique to this claim: only its holder can end the
 * attempt.
 */
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
  /** Whether it has an order key: other jobs may wait for its end. */
  readonly isOrdered: boolean;
  readonly payload: unknown;
  /** Why its payload cannot be read; such a job does not run. Absent if it can be. */
  readonly unreadable?: string;
  readonly createdAt: number;
}

/** A claim as its holder knows it. */
export type Lease = Pick<ClaimedJob, "id" | "lease">;

/** How an attempt ends. */
export type JobEnd =
  | { readonly to: "done" }
  /** Its handler failed after it had committed. The failure is kept, and the job stays done. */
  | ({ readonly to: "done" } & Failed)
  /**
   * The handler's effect is committed, and the handler is still running. The job stays `running`
   * and keeps the turn of its order key. Whatever happens next, even the death of its runner, the
   * job becomes `done`.
   */
  | { readonly to: "committed" }
  /** Runs again at `at`. The failure is kept with the job. */
  | ({ readonly to: "scheduled"; readonly at: number } & Failed)
  | ({ readonly to: "dead" } & Failed)
  /** Given back before it ran; the attempt does not count. */
  | { readonly to: "ready" }
  /** Runs again at `at`, and this attempt does not count. */
  | { readonly to: "snoozed"; readonly at: number }
  /** Stopped because somebody asked to cancel it. */
  | { readonly to: "cancelled" };

/** What is known of an attempt that failed. */
export interface Failed {
  readonly error: string;
  /** The first lines of the error's stack. They are kept with the failure, below the error. */
  readonly stack?: string | undefined;
  /** What the handler logged in the attempt. */
  readonly log?: readonly AttemptLine[] | undefined;
}

/** What a handler logged. */
interface AttemptLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** One attempt that failed, or a runner that died. */
export interface JobFailure {
  readonly attempt: number;
  readonly at: number;
  /** The error, and below it the lines of its stack. */
  readonly error: string;
  /** True if the handler failed after it had committed: the job is done, and does not run again. */
  readonly afterCommit: boolean;
  /** The last lines that the handler logged in this attempt: at most 50, with 8 KiB of JSON in all. */
  readonly log: readonly AttemptLine[];
}
