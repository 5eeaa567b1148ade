import type { Resource } from "../model/resource.ts";
import type { JobQueue } from "./job-queue.ts";
import type { Row } from "./resource-repository.ts";

/** The kinds of data that are deleted after their retention. */
export type Expiring =
  /** Jobs that are done. */
  | "done_jobs"
  /**
   * Jobs that were cancelled or are dead, and that are not about an event. Jobs of an event are
   * deleted with it, because its state depends on them. A job that holds its order key stays.
   */
  | "cancelled_jobs"
  | "dead_jobs"
  /**
   * Events, with their jobs and dedupe keys. Only events with no job that is still to run or holds
   * its order key.
   */
  | "events"
  /**
   * Bodies and headers of events that are no longer needed. Events that wait, run, are dead or
   * quarantined keep theirs. The events themselves stay, so that repeats are recognised.
   */
  | "bodies"
  /** Runners that were declared dead. */
  | "runners"
  /** Fired slots of schedules, except the newest of each. */
  | "slots"
  /** Entries of the audit log, oldest first. `AuditChain` deletes them, with their seals. */
  | "audit";

/** Of these it is told how many are due. */
export type Counted = Exclude<Expiring, "runners" | "slots" | "audit">;

/** What is still stored although it was kept long enough. */
interface Due {
  /** How many there are, counted up to a bound. */
  readonly rows: number;
  /** When the oldest of them ended or arrived; `undefined` if there is none. */
  readonly oldest: number | undefined;
}

/** Who hears of rows that are deleted after the row to which they belong. */
export interface DeletionsTold {
  /** The names of the resources whose rows it wants. */
  readonly resources: ReadonlySet<string>;
  /** `jobs` is the queue of the transaction. */
  deleted(jobs: Pick<JobQueue, "enqueue">, resource: Resource, rows: readonly Row[]): Promise<void>;
}

/**
 * Keeps the storage small and fast. Driven port; `housekeepingContract` is its definition in code.
 */
export interface Housekeeping {
  /**
   * Deletes up to `limit` (1 to 1,000) items that ended or arrived before `before`, oldest first, and
   * returns how many. An item that is replayed at the same moment stays. One transaction deletes at
   * most 200 items, or 4 MiB if it deletes several, so that other writers wait for a short time only.
   *
   * A call that deletes `limit` items remembers where it ended, and the next one goes on from there:
   * it does not look again at items that stay. A call that deletes fewer ends at the last item.
   *
   * Of `bodies`, only those that arrived at `from` or later are deleted. Default: all.
   */
  prune(what: Exclude<Expiring, "audit">, before: number, limit: number, from?: number): Promise<number>;
  /** How many items `prune` would delete, counted up to `atMost` (1 to 10,000), and the oldest of them. */
  due(what: Counted, before: number, atMost: number): Promise<Due>;
  /**
   * How many writes of this process have had to wait for another of its writes, or went on beside
   * one, since it started. It only grows. It tells whether a deletion had the database for itself.
   */
  waits(): number;
  /**
   * Deletes up to `limit` (1 to 1,000) stored rows of deletions that were too large to be done at
   * once, in one transaction. Returns how many; 0 if nothing is left. Nobody sees these rows any
   * more. `told` hears of the rows of its resources, in the transaction that deletes them, but not of
   * those whose deletion was asked for.
   */
  finishDeletions(limit: number, told?: DeletionsTold): Promise<number>;
  /**
   * How many deletions are unfinished, and how many rows are still stored because of them, counted
   * up to `atMost`.
   */
  unfinishedDeletions(atMost: number): Promise<{ readonly deletions: number; readonly rows: number }>;
  /** Moves the write-ahead log into the database's own file, if the database has one. */
  checkpoint(): Promise<void>;
}
