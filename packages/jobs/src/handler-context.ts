import type { AbortSignalLike, NewMail, ReadsOf, ReadTransaction, Rows, Stores, Transaction } from "@postern/core";
import { brand } from "@postern/core/internal";
import type { LogFields, LogLevel } from "@postern/core/ports";

/**
 * What a handler gets in addition to its event or payload. It belongs to one run of the job. `Named`
 * are the rows of resources that the compiler knows.
 */
export interface HandlerContext<Named = Rows> {
  /** This run's number, from 1. */
  readonly attempt: number;
  /**
   * Aborted when this run should end. `reason` says why: `timeout`, `cancelled` (somebody asked for
   * it), `lease-lost` (the job was given to another runner) or `shutdown`.
   */
  readonly signal: AbortSignalLike;
  /** The same for every run of this job. Pass it to services that accept such a key. */
  readonly idempotencyKey: string;
  /**
   * The database's time, in milliseconds since the epoch. Due times are compared with it. Use it
   * instead of `Date.now()` when you throw a `RetryAt` or store a job with a `dueAt`: this process's
   * clock may be wrong.
   */
  now(): number;
  readonly log: (level: LogLevel, message: string, fields?: LogFields) => void;
  /**
   * Reads rows, as often as you like, and ends nothing. All of one read sees the rows as they were when
   * it began. It locks nothing and does not look whether this run still has the job: check again in
   * `commit` what must still hold. `work` gets the rows of the declared resources by name, and the
   * transaction: `knex` for tables of your own, to which the database takes no writes. It must use only
   * these, and ends after 5 seconds. It may run again from its start after a lost connection.
   * @throws TypeError inside `commit`; Error after 5 seconds.
   */
  read<Result>(work: (rows: ReadsOf<Named>, tx: ReadTransaction<Named>) => Promise<Result>): Promise<Result>;
  /**
   * Writes the effect and marks the job done in one transaction. Both happen or neither does, and
   * only once, however often the job runs. Read with `read`, and do slow work, before it. `work` gets the rows of the
   * declared resources by name, which keep the rules of their declarations, and the transaction:
   * `enqueue` for jobs, `knex` for tables of your own, and the stores below them. It must use only
   * these. It may run again from its start after a deadlock.
   *
   * Whatever `work` uses ends the job, also if nothing was changed. Only if it used `get`, `find` and
   * `list` of rows and nothing else, the job goes on. If the handler throws after the job has ended,
   * the job stays done: nothing runs again, the failure is kept with it, and an alert is raised.
   * @throws LeaseLost when this run no longer owns the job; AlreadyCommitted when this run has ended its
   *   job with a commit before. Nothing was written then.
   */
  commit<Result>(work: (rows: Named, tx: Transaction<Named> & Stores) => Promise<Result>): Promise<Result>;
  /**
   * Sends a mail, once, if this run ends well: it is stored by `commit`, or when the handler returns. If
   * the run fails, nothing is sent. In a commit there is `tx.mail`.
   * @throws TypeError as `tx.mail`, and after a commit.
   */
  mail(mail: NewMail): Promise<void>;
}

/** Throw this for something that will never work: the job is dead at once. */
export class Permanent extends Error {
  override readonly name = "Permanent";
}
brand(Permanent, "Permanent");

/**
 * Throw this if you know when to try again (milliseconds since the epoch by the database's clock),
 * for example from a `Retry-After`: `new RetryAt(context.now() + waitMs, "…")`.
 */
export class RetryAt extends Error {
  override readonly name = "RetryAt";
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}
brand(RetryAt, "RetryAt");

/**
 * Throw this if the job cannot run yet: it runs again in that many milliseconds, and the attempt
 * does not count. Less than 1,000 ms counts as 1,000. A number below 0, or what is not a number,
 * makes it an ordinary failure of the attempt.
 */
export class Snooze extends Error {
  override readonly name = "Snooze";
  readonly ms: number;

  constructor(ms: number, message = "snoozed") {
    super(message);
    this.ms = ms;
  }
}
brand(Snooze, "Snooze");

/**
 * This run no longer owns its job: it was taken for dead, and the job was given to another runner.
 * Its result does not count.
 */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}
brand(LeaseLost, "LeaseLost");

/**
 * This run has ended its job with a `commit` before. The second one wrote nothing. Write everything in
 * one commit, and read with `read`.
 */
export class AlreadyCommitted extends Error {
  override readonly name = "AlreadyCommitted";
}
brand(AlreadyCommitted, "AlreadyCommitted");
