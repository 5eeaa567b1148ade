import { readsOf } from "../ports/resource-repository.ts";
import type { OwnTables, Storage, Stores } from "../ports/storage.ts";
import { untilAborted } from "../until-aborted.ts";
import type { JobTables } from "./job-tables.ts";
import { Journal } from "./journal.ts";
import { memoryAnswers } from "./memory-answers.ts";
import { auditTables, memoryAuditChain } from "./memory-audit-chain.ts";
import { memoryAuditLog } from "./memory-audit-log.ts";
import { memoryCounts } from "./memory-counts.ts";
import { memoryDeliveryCounts } from "./memory-delivery-counts.ts";
import { type MemoryEvent, memoryEvents } from "./memory-events.ts";
import { feedTable, memoryFeed } from "./memory-feed.ts";
import { type ForwardTable, memoryForwards } from "./memory-forwards.ts";
import { memoryHousekeeping } from "./memory-housekeeping.ts";
import { memoryJobQueue } from "./memory-job-queue.ts";
import { memoryJobRecords } from "./memory-job-records.ts";
import { memoryNotes, type NoteTable } from "./memory-notes.ts";
import { memoryPlans } from "./memory-plans.ts";
import { memoryProviders } from "./memory-providers.ts";
import { memoryQueues } from "./memory-queues.ts";
import { memoryRefusals } from "./memory-refusals.ts";
import { memoryResources, type Tables } from "./memory-resources.ts";
import { memoryRunners } from "./memory-runners.ts";
import { memoryScheduleSlots } from "./memory-schedule-slots.ts";
import { memorySigningKeys } from "./memory-signing-keys.ts";

/**
 * Keeps everything in the memory of this process. For tests, examples, and servers that may forget
 * everything. Calls and transactions run one at a time, in the order in which you made them. A
 * transaction that throws leaves no trace. Inside a transaction, use the stores that `work` is
 * given: a call of the outer storage would wait for that very transaction.
 */
export const memoryStorage = (): Storage => {
  const [only] = memoryWriters(1);
  // The caller asked for one.
  return only as Storage;
};

/** Memory has no own tables. */
const noTables = new Proxy(
  // Adapters declare its members.
  {} as OwnTables,
  {
    get: (_target, name) => {
      if (typeof name === "symbol" || name === "then") return undefined;
      throw new TypeError(`memory has no tables of your own, so there is no "${name}"; use a database for them`);
    },
  },
);

const blockSize = 10_000;

/**
 * Several storages over the same rows, like several processes on one database. Each takes its ids
 * from blocks of its own, so the order of ids is not the order of commits.
 */
export const memoryWriters = (writers: number): readonly Storage[] => memoryProcesses(writers).storages;

/** The same, with a way to make the reservations of numbers go back, as a failover that lost them does. */
export const memoryProcesses = (
  writers: number,
): { readonly storages: readonly Storage[]; readonly forgetNumbers: () => void } => {
  const journal = new Journal();
  let blocks = 0;
  const idsOfOwn = (): Pick<JobTables, "nextId" | "doubtIds"> => {
    let next = 1;
    let end = 1;
    return {
      nextId: () => {
        if (next === end) {
          next = blocks * blockSize + 1;
          end = next + blockSize;
          blocks += 1;
        }
        next += 1;
        return next - 1;
      },
      doubtIds: () => {
        next = end;
        let most = 0;
        for (const rows of [eventTables.events, sharedTables.jobs])
          for (const id of rows.keys()) most = Math.max(most, id);
        blocks = Math.max(blocks, Math.ceil(most / blockSize));
      },
    };
  };
  let lastPlace = 0;
  let lastToken = 0;
  const resourceTables: Tables = new Map();
  const eventTables = { events: new Map<number, MemoryEvent>(), keys: new Map<string, number>() };
  const forwards: ForwardTable = new Map();
  const sharedTables = {
    events: eventTables.events,
    jobs: new Map(),
    failures: new Map(),
    feed: feedTable(),
    runners: new Map(),
    paused: new Map(),
    slots: new Map(),
    schedules: new Map(),
    nextToken: () => {
      lastToken += 1;
      return lastToken;
    },
    nextPlace: () => {
      lastPlace += 1;
      return lastPlace;
    },
  };
  const audit = auditTables();
  let lastEntry = 0;
  /** One sequence for all writers, as databases number entries by themselves. */
  const nextEntry = (): number => {
    lastEntry += 1;
    return lastEntry;
  };
  const plans = new Map();
  const notes: NoteTable = new Map();
  const providers = new Map();
  const answers = new Map();
  const signingKeys = new Map();
  const storesWith = (ids: Pick<JobTables, "nextId" | "doubtIds">): Stores => {
    const jobTables: JobTables = { ...sharedTables, ...ids };
    return {
      resources: memoryResources(resourceTables, journal),
      events: memoryEvents(eventTables, jobTables, journal),
      plans: memoryPlans(plans, journal),
      notes: memoryNotes(notes, journal),
      forwards: memoryForwards(forwards, journal),
      providers: memoryProviders(providers, journal),
      jobs: memoryJobQueue(jobTables, journal),
      jobRecords: memoryJobRecords(jobTables, journal),
      queues: memoryQueues(jobTables, journal),
      scheduleSlots: memoryScheduleSlots(jobTables, journal),
      runners: memoryRunners(jobTables, journal),
      audit: memoryAuditLog(audit, nextEntry, journal),
      answers: memoryAnswers(answers, journal),
      signingKeys: memorySigningKeys(signingKeys, journal),
    };
  };
  const housekeeping = memoryHousekeeping(
    { events: eventTables, forwards, notes, jobs: { ...sharedTables, ...idsOfOwn() } },
    journal,
  );

  const auditChain = memoryAuditChain(audit, journal);
  const deliveryCounts = memoryDeliveryCounts();
  const refusals = memoryRefusals();
  const counts = memoryCounts();

  let last: Promise<unknown> = Promise.resolve();
  const transactionOn = <Result>(
    stores: Stores,
    work: (stores: Stores, own: OwnTables) => Promise<Result>,
  ): Promise<Result> => {
    const run = async (): Promise<Result> => {
      journal.begin();
      try {
        const result = await work(stores, noTables);
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

  /** A copy, because rows never change: a change puts another row in the place of the old one. */
  const snapshot: Storage["snapshot"] = async (work, signal) => {
    const tables = await last.then(
      (): Tables =>
        new Map([...resourceTables].map(([name, { resource, rows }]) => [name, { resource, rows: new Map(rows) }])),
    );
    let isOver = false;
    const whole = readsOf(memoryResources(tables, new Journal()));
    const reads = queued(whole, async (read) => {
      if (isOver) throw new Error("the transaction is over; its stores cannot be used any more");
      return read(whole);
    });
    try {
      return await untilAborted(signal, () => work(reads, noTables));
    } finally {
      isOver = true;
    }
  };

  const feedOf = ({ events }: Stores) => memoryFeed(sharedTables.feed, events, journal);

  const open = (): Storage => {
    const stores = storesWith(idsOfOwn());
    const transaction: Storage["transaction"] = (work) => transactionOn(stores, work);
    return {
      resources: queued(stores.resources, (work) => transaction(({ resources }) => work(resources))),
      events: queued(stores.events, (work) => transaction(({ events }) => work(events))),
      plans: queued(stores.plans, (work) => transaction(({ plans }) => work(plans))),
      notes: queued(stores.notes, (work) => transaction(({ notes }) => work(notes))),
      forwards: queued(stores.forwards, (work) => transaction(({ forwards }) => work(forwards))),
      providers: queued(stores.providers, (work) => transaction(({ providers }) => work(providers))),
      jobs: queued(stores.jobs, (work) => transaction(({ jobs }) => work(jobs))),
      jobRecords: queued(stores.jobRecords, (work) => transaction(({ jobRecords }) => work(jobRecords))),
      queues: queued(stores.queues, (work) => transaction(({ queues }) => work(queues))),
      scheduleSlots: queued(stores.scheduleSlots, (work) => transaction(({ scheduleSlots }) => work(scheduleSlots))),
      runners: queued(stores.runners, (work) => transaction(({ runners }) => work(runners))),
      audit: queued(stores.audit, (work) => transaction(({ audit }) => work(audit))),
      answers: queued(stores.answers, (work) => transaction(({ answers }) => work(answers))),
      signingKeys: queued(stores.signingKeys, (work) => transaction(({ signingKeys }) => work(signingKeys))),
      transaction,
      snapshot,
      check: async () => undefined,
      checkWritable: async () => undefined,
      freeBytes: async () => undefined,
      past: { setbacks: () => 0, look: async () => undefined },
      housekeeping: queued(housekeeping, (work) => transaction(() => work(housekeeping))),
      auditChain: queued(auditChain, (work) => transaction(() => work(auditChain))),
      deliveryCounts,
      feed: queued(feedOf(stores), (work) => transaction((inner) => work(feedOf(inner)))),
      refusals,
      counts,
    };
  };
  return {
    storages: Array.from({ length: writers }, open),
    forgetNumbers: () => {
      blocks = 0;
    },
  };
};

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** The same store, with each call inside `inTransaction`. */
const queued = <Store extends object>(
  store: Store,
  inTransaction: (work: (store: Store) => Promise<unknown>) => Promise<unknown>,
): Store => {
  const members = Object.entries(store).map(([name, member]): [string, unknown] => [
    name,
    typeof member !== "function"
      ? member
      : // Every method of a store returns a promise.
        (...args: Parameters<Method>) =>
          inTransaction((inner) => (inner as Record<string, Method>)[name]?.(...args) ?? Promise.reject()),
  ]);
  return Object.fromEntries(members) as Store;
};
