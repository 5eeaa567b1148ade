/** What is deleted when it has been kept long enough. */
export type Expiring =
  /** Jobs that are done. */
  | "done_jobs"
  /** Jobs that were cancelled, or are dead, and are about no event; those of an event go with it, because they say where it stands. What holds its order key stays. */
  | "cancelled_jobs"
  | "dead_jobs"
  /** Events none of whose jobs is still to run or holds its order key, with their jobs and their dedupe keys. */
  | "events"
  /**
   * Bodies and headers of events that nobody needs any more: those of events that wait, run, are dead or are in quarantine stay. The events stay, and
   * their repeats are known.
   */
  | "bodies"
  /** Runners that were declared dead. */
  | "runners"
  /** Fired slots of schedules, but for the newest of each. */
  | "slots"
  /** Entries of the audit log, oldest first. */
  | "audit";

/** Keeps the storage small and quick. Driven port; `housekeepingContract` is its definition in code. */
export interface Housekeeping {
  /** Deletes up to `limit` (1 to 1,000) of what ended, or came in, before `before`; how many. What is replayed at the same moment stays. */
  prune(what: Expiring, before: number, limit: number): Promise<number>;
  /** Moves what is written ahead into the database's own file, where there is such a thing. */
  checkpoint(): Promise<void>;
}
