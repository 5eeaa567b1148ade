import type { Nesting, NewJob, OwnTransaction, Transaction } from "@postern/core";
import { type ActivityCounter, createTransactions, requireKinds, type Transactions } from "@postern/core/internal";
import { createEnqueuer } from "./enqueuer.ts";
import type { Runnable } from "./job-handler.ts";
import { createLocalHandoff, type LocalHandoff } from "./local-handoff.ts";
import type { Schedule } from "./schedule.ts";
import { createWorker, type Worker, type WorkerOptions } from "./worker.ts";

type JobsPorts = Parameters<typeof createWorker>[0]["ports"];

export interface JobsOptions {
  readonly ports: JobsPorts;
  /** Jobs made with `defineJob`. */
  readonly jobs?: readonly Runnable[];
  /** Work that starts at set times, made with `schedule`. */
  readonly schedules?: readonly Schedule[];
}

/** What an application gives in addition. */
interface JobsOfApplication extends JobsOptions {
  /** What transactions give to handlers. Default: no rows of resources. */
  readonly transactions?: Transactions;
  /** Notices a `commit` inside another transaction of the application. */
  readonly nesting?: Nesting | undefined;
  /** Hands jobs that this process stores to a worker of this process. */
  readonly handoff?: LocalHandoff;
  /** Counts what ends, over time. */
  readonly activity?: ActivityCounter;
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

/**
 * Makes a queue of jobs on your database. A job that is stored runs until it is done, or is dead after
 * its last attempt: after a crash, another worker runs it again.
 * @throws DeclarationError for declarations that cannot work, with all faults in all of them.
 */
export const createJobs = (options: JobsOptions): Jobs => createJobsOf(options);

/** The same for an application, which has rows, other transactions and counts. */
export const createJobsOf = (options: JobsOfApplication): Jobs => {
  const { ports, jobs = [], schedules = [], handoff = createLocalHandoff() } = options;
  const { storage, clock, wakeup } = ports;
  const handlers = [...jobs, ...schedules];
  const { transactions = createTransactions({ resources: [], handlers, ids: ports.ids }) } = options;
  const requireKnown = requireKinds(handlers);
  const store = createEnqueuer(ports, handoff);
  const { transactionIn } = transactions;
  return {
    enqueue: async (...newJobs) => {
      requireKnown(newJobs);
      return newJobs.length === 0 ? [] : store(newJobs);
    },
    transaction: async (work) => {
      let hasJobs = false;
      const result = await storage.transaction((stores, own) => {
        hasJobs = false;
        const onEnqueue = () => {
          hasJobs = true;
        };
        return work(transactionIn({ stores, own, now: () => clock.now(), onEnqueue }));
      });
      if (hasJobs) wakeup.notify();
      return result;
    },
    within: (transaction) => {
      if (storage.join === undefined) {
        throw new TypeError("within: this storage shares no transactions with your database; use `transaction`");
      }
      const { stores, afterCommit } = storage.join(transaction);
      const onEnqueue = (): void => {
        // If nothing tells of the commit, idle workers look for some seconds from now on.
        if (!afterCommit(() => wakeup.notify())) wakeup.notify();
      };
      const { rows, enqueue } = transactionIn({ stores, now: () => clock.now(), onEnqueue });
      return { rows, enqueue };
    },
    worker: (given) => {
      const { nesting, activity } = options;
      const more = { ...(nesting === undefined ? {} : { nesting }), ...(activity === undefined ? {} : { activity }) };
      return createWorker({ ports, jobs, schedules, transactions, handoff, ...more }, given);
    },
  };
};
