import type { RunnerRecord } from "../ports/job-store.ts";
import type { Row } from "../ports/resource-repository.ts";
import type { Storage, Stores } from "../ports/storage.ts";
import { builtInResources } from "../resources/index.ts";
import type { Resource } from "../resources/resource.ts";
import { Journal } from "./journal.ts";
import { type MemoryEvent, memoryEvents } from "./memory-events.ts";
import { type MemoryJob, memoryJobs } from "./memory-jobs.ts";
import { memoryResources } from "./memory-resources.ts";

/**
 * Everything in the memory of this process: for tests, examples and a server that need not remember. One call or transaction at a time,
 * in the order they were asked for; a transaction that throws leaves no trace. A call of the outer storage from inside a transaction's work
 * would wait for that very transaction; use the stores that `work` is given.
 */
export const memoryStorage = (resources: readonly Resource[] = builtInResources): Storage => {
  const journal = new Journal();
  let lastId = 0;
  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };
  const known = new Map(resources.map((resource) => [resource.name, resource]));
  const tables = new Map(resources.map(({ name }) => [name, new Map<string, Row>()]));
  const jobTables = { jobs: new Map<number, MemoryJob>(), runners: new Map<number, RunnerRecord>(), nextId };
  const eventTables = { events: new Map<number, MemoryEvent>(), keys: new Map<string, number>() };
  const stores: Stores = {
    resources: memoryResources(known, tables, journal),
    events: memoryEvents(eventTables, jobTables, journal),
    jobs: memoryJobs(jobTables, journal),
  };

  let last: Promise<unknown> = Promise.resolve();
  const transaction = <Result>(work: (stores: Stores) => Promise<Result>): Promise<Result> => {
    const run = async (): Promise<Result> => {
      journal.begin();
      try {
        const result = await work(stores);
        journal.commit();
        return result;
      } catch (thrown) {
        journal.rollBack();
        throw thrown;
      }
    };
    const result = last.then(run);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    resources: queued(stores.resources, (work) => transaction(({ resources }) => work(resources))),
    events: queued(stores.events, (work) => transaction(({ events }) => work(events))),
    jobs: queued(stores.jobs, (work) => transaction(({ jobs }) => work(jobs))),
    transaction,
    check: async () => undefined,
  };
};

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** The same store with each call as a transaction of its own. */
const queued = <Store extends object>(
  store: Store,
  inTransaction: (work: (store: Store) => Promise<unknown>) => Promise<unknown>,
): Store => {
  const methods = Object.keys(store).map((name): [string, Method] => [
    name,
    // Every member of a store is a method that returns a promise.
    (...args) => inTransaction((inner) => (inner as Record<string, Method>)[name]?.(...args) ?? Promise.reject()),
  ]);
  return Object.fromEntries(methods) as Store;
};
