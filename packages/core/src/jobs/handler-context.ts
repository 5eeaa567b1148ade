import type { Stores } from "../ports/storage.ts";
import type { LogFields, LogLevel } from "../ports/telemetry.ts";
import type { AbortSignalLike } from "../runtime.ts";

/** What a handler is given beside its job: one run of it. */
export interface HandlerContext {
  /** This run's number, from 1. */
  readonly attempt: number;
  /**
   * Aborted when this run shall end; `reason` says why: `timeout`, `cancelled` (somebody asked for it), `lease-lost` (the job was given to another
   * runner) or `shutdown`.
   */
  readonly signal: AbortSignalLike;
  /** The same for every run of this job: for calls to others that take such a key. */
  readonly idempotencyKey: string;
  readonly log: (level: LogLevel, message: string, fields?: LogFields) => void;
  /**
   * Writes the effect and marks the job done in one transaction: both happen or neither, and only once however often the job runs. Do the slow
   * work first; `work` uses only the stores it is given. Nothing after it counts as failing the job.
   * @throws LeaseLost when this run no longer owns the job; nothing was written.
   */
  commit<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result>;
}

/** Thrown by a handler for what will never work: the job is dead at once. */
export class Permanent extends Error {
  override readonly name = "Permanent";
}

/** Thrown by a handler that knows when to try again (milliseconds since the epoch), e.g. from a `Retry-After`. */
export class RetryAt extends Error {
  override readonly name = "RetryAt";
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Thrown by a handler that cannot run yet: it runs again in that many milliseconds, and the attempt does not count. */
export class Snooze extends Error {
  override readonly name = "Snooze";
  readonly ms: number;

  constructor(ms: number, message = "snoozed") {
    super(message);
    this.ms = ms;
  }
}

/** This run no longer owns its job: it was taken for dead and the job given to another. Its result does not count. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}
