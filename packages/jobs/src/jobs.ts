import type { NewJob, OwnTransaction, Transaction } from "@postern/core";
import type { Runnable } from "./job-handler.ts";
import type { Schedule } from "./schedule.ts";
import type { Worker, WorkerOptions } from "./worker.ts";
import type { JobsPorts } from "./worker-options.ts";

export interface JobsOptions {
  readonly ports: JobsPorts;
  /** Jobs made with `defineJob`. */
  readonly jobs?: readonly Runnable[];
  /** Work that starts at set times, made with `schedule`. */
  readonly schedules?: readonly Schedule[];
}

/** A queue of jobs on your database. */
export interface Jobs {
  /**
   * Stores jobs made with `newJob`, and returns their ids. When it resolves, they are on disk.
   * @throws TypeError for a kind that this application does not have.
   */
  enqueue(...jobs: readonly NewJob[]): Promise<readonly number[]>;
  /**
   * Runs `work` in one transaction on Postern's own database: rows of declared resources, jobs, and
   * tables of your own are committed together. When it resolves, all of it is on disk, and the jobs
   * may run. If `work` throws, nothing of it remains. `work` must use only `tx`, and must not wait for
   * anything outside the database: on SQLite other writers wait for it.
   *
   * After a deadlock or a lost connection, `work` runs again from its start, as the storage says.
   * @throws what `work` throws; AppError `unavailable` when the database cannot be reached or stays
   *   busy. If the connection was lost during the commit, it is not known whether it was stored.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * Rows and jobs that are written by a transaction of your own, on Postern's database: a transaction
   * of Knex, or a connection of `pg` or `mysql2` on which you have begun one. They are committed and
   * rolled back with it. Use the result until the transaction ends.
   *
   * Nothing runs again by itself. After a deadlock or a serialization failure you get the driver's
   * error; roll back, and begin again from your start. Workers are told after the commit of a
   * transaction of Knex. After that of another connection they find the jobs within a second.
   * @throws TypeError unless it is a transaction on Postern's database, and where the storage has no
   *   such transactions, as in memory. A pool is not one. `rows` and `enqueue` throw a TypeError if the
   *   transaction has not begun, has failed or has ended, or if it is in another database.
   */
  within(transaction: OwnTransaction): Pick<Transaction, "rows" | "enqueue">;
  /**
   * Makes a worker, which `createJobRunner` keeps running.
   * @throws DeclarationError for options that are missing, wrong or unknown.
   */
  worker(options: WorkerOptions): Worker;
}
