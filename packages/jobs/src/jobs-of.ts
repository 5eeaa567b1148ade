import type { Nesting } from "@postern/core";
import { type ActivityCounter, createTransactions, requireKinds, type Transactions } from "@postern/core/internal";
import { createEnqueuer } from "./enqueuer.ts";
import type { Jobs, JobsOptions } from "./jobs.ts";
import { createLocalHandoff, type LocalHandoff } from "./local-handoff.ts";
import { createWorker } from "./worker.ts";

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

/** `createJobs` for an application, which has rows, other transactions and counts. */
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
