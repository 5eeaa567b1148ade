import type { Caller } from "../model/caller.ts";
import type { AbortSignalLike } from "../runtime.ts";
import type { AnswerStore } from "./answer-store.ts";
import type { AuditChain } from "./audit-chain.ts";
import type { AuditLog } from "./audit-log.ts";
import type { CountStore } from "./count-store.ts";
import type { DeliveryCounts } from "./delivery-counts.ts";
import type { EventStore } from "./event-store.ts";
import type { FeedStore } from "./feed-store.ts";
import type { ForwardStore } from "./forward-store.ts";
import type { Housekeeping } from "./housekeeping.ts";
import type { ClaimedJob } from "./job.ts";
import type { JobQueue } from "./job-queue.ts";
import type { JobRecords } from "./job-records.ts";
import type { NoteStore } from "./note-store.ts";
import type { PlanStore } from "./plan-store.ts";
import type { ProviderStore } from "./provider-store.ts";
import type { Queues } from "./queues.ts";
import type { RefusalStore } from "./refusal-store.ts";
import type { ResourceReads, ResourceRepository } from "./resource-repository.ts";
import type { Runners } from "./runners.ts";
import type { ScheduleSlots } from "./schedule-slots.ts";
import type { SigningKeyStore } from "./signing-key-store.ts";

/** The stores that can take part in one transaction. */
export interface Stores {
  readonly resources: ResourceRepository;
  readonly events: EventStore;
  readonly plans: PlanStore;
  readonly notes: NoteStore;
  readonly forwards: ForwardStore;
  readonly providers: ProviderStore;
  readonly jobs: JobQueue;
  readonly jobRecords: JobRecords;
  readonly queues: Queues;
  readonly scheduleSlots: ScheduleSlots;
  readonly runners: Runners;
  readonly audit: AuditLog;
  readonly answers: AnswerStore;
  readonly signingKeys: SigningKeyStore;
}

const everyStore: { readonly [Name in keyof Stores]: true } = {
  resources: true,
  events: true,
  plans: true,
  notes: true,
  forwards: true,
  providers: true,
  jobs: true,
  jobRecords: true,
  queues: true,
  scheduleSlots: true,
  runners: true,
  audit: true,
  answers: true,
  signingKeys: true,
};
export const storeNames = Object.keys(everyStore) as (keyof Stores)[] /* the members of the literal above */;

/**
 * What a storage lends to your own code inside a transaction, for tables of your own. Core knows no
 * member of it; an adapter declares its members. `@postern/storage-knex` declares `knex`. A storage
 * without tables of yours refuses each member with a sentence.
 */
// biome-ignore lint/suspicious/noEmptyInterface: adapters declare its members.
export interface OwnTables {}

/** Who asked for a transaction. All of it is absent for Postern's own work. */
export interface Origin {
  /** The network that asked for it. Where transactions wait for each other, networks take turns. */
  readonly network?: string;
  /** The address that asked for it. */
  readonly address?: string;
  /** The user who asked for it. */
  readonly caller?: Caller | undefined;
  /** The id of the request. */
  readonly request?: string;
  /** The job whose run writes. */
  readonly job?: Pick<ClaimedJob, "kind" | "payload">;
}

/** One transaction over all stores. Driven port. */
interface UnitOfWork {
  /**
   * Runs `work` in a transaction. When this resolves, everything is committed and on disk. If
   * `work` throws, nothing of it remains. `work` must use only what it is given, the stores and the
   * `OwnTables`, and must not wait for anything outside the database. It may run again from its start
   * after a deadlock.
   * @throws AppError `unavailable` when the database cannot be reached or stays busy.
   */
  transaction<Result>(work: (stores: Stores, own: OwnTables) => Promise<Result>, origin?: Origin): Promise<Result>;
  /**
   * Runs `work` in a transaction that only reads. It sees what was committed when it began, and nothing
   * later. It waits for no writer, and no writer waits for it. The database refuses every write in it,
   * also one to tables of your own. `work` must use only what it is given, and nothing of that once it
   * has ended. It may run again from its start after a lost connection. When `signal` is aborted, the
   * transaction ends, and this rejects with the signal's reason, whatever `work` does.
   * @throws AppError `unavailable` when the database cannot be reached, or no connection is free.
   */
  snapshot<Result>(
    work: (resources: ResourceReads, own: OwnTables) => Promise<Result>,
    signal: AbortSignalLike,
  ): Promise<Result>;
}

/**
 * A transaction that the application has begun itself: one of Knex, or a connection of `pg` or `mysql2`
 * on which it has begun one.
 */
export type OwnTransaction =
  | { readonly executionPromise: Promise<unknown>; isCompleted(): boolean }
  | { query(...given: never[]): unknown };

/** Stores whose writes belong to a transaction of the application. */
export interface JoinedStores {
  readonly stores: Stores;
  /**
   * Runs `action` after the application's commit. Returns false, and never runs it, if nothing tells of
   * the commit; then workers find the jobs when they look for work by themselves.
   */
  afterCommit(action: () => void): boolean;
}

export interface Storage extends Stores, UnitOfWork {
  /**
   * Gives stores that write in a transaction of the application, on its own connection. Absent if there
   * are no such connections, as in memory. What can be seen at once is refused here, the rest when the
   * stores are first used. The errors of deadlocks and serialization failures are the driver's, and
   * nothing runs again by itself.
   * @throws TypeError unless it is an open transaction on the database of this storage.
   */
  join?(transaction: OwnTransaction): JoinedStores;
  /**
   * Resolves if the database answers and has the schema that this code needs.
   * @throws AppError `unavailable` with the reason.
   */
  check(): Promise<void>;
  /**
   * Resolves if a write reaches the disk. Call it after a failed write to find out when to try
   * again.
   * @throws AppError `unavailable`.
   */
  checkWritable(): Promise<void>;
  /**
   * How many bytes are free where the rows are stored. `undefined` if the place does not tell, as
   * database servers do not.
   */
  freeBytes(): Promise<number | undefined>;
  /**
   * What this process knows of the database may be from a time that never was: a failover may have lost
   * the last commits, or somebody may have restored a backup.
   */
  readonly past: {
    /** How often the database was found to have gone back. Compare it with what you read before. */
    setbacks(): number;
    /** Looks whether it has. It is also noticed with new connections, and when numbers are reserved. */
    look(): Promise<void>;
  };
  readonly housekeeping: Housekeeping;
  readonly auditChain: AuditChain;
  readonly deliveryCounts: DeliveryCounts;
  readonly feed: FeedStore;
  readonly refusals: RefusalStore;
  readonly counts: CountStore;
}
