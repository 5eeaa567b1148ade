import type { EventFilter } from "./event-store.ts";
import type { JobFilter } from "./job-records.ts";

/**
 * `planned`: made, and not run yet. `running`: a job runs it, step by step. `paused`: until somebody
 * resumes it. `done`: it has come to its last event. `cancelled`: it stays where it is.
 */
export type PlanState = "planned" | "running" | "paused" | "done" | "cancelled";

/** Events or jobs that were left as they are, for the same reason. */
export interface SkippedEvents {
  /** Up to 200 characters. */
  readonly reason: string;
  readonly events: number;
}

/** What a plan would do, as it was when the plan was made. */
export interface PlanPreview {
  /** How many that fit the filter were looked at, oldest first. */
  readonly looked: number;
  /** Whether these are all that fit. */
  readonly isComplete: boolean;
  /** How many of them are selected: all, or those whose payload contains the text. */
  readonly matched: number;
  /** How many would run again, be discarded or be cancelled. */
  readonly done: number;
  /** The handlers that would run, and how often; most often first. At most 100. */
  readonly handlers: readonly { readonly handler: string; readonly jobs: number }[];
  /** How many jobs would wait for an earlier one of the plan with the same order key. */
  readonly waiting: number;
  /** Most events first. At most 20. */
  readonly skipped: readonly SkippedEvents[];
}

/** How far a plan has come. */
export interface PlanProgress {
  /** The last event or job that was looked at; 0 at first. */
  readonly after: number;
  readonly looked: number;
  /** Events or jobs that run again, or were discarded or cancelled. */
  readonly done: number;
  /** Jobs that were made. */
  readonly jobs: number;
  /** Events for which nothing could be decided, such as those of a sender that cannot be used. */
  readonly failed: number;
  /** Most events first. At most 20. */
  readonly skipped: readonly SkippedEvents[];
  /** When the next event may begin, in milliseconds since the epoch; `undefined` for at once. */
  readonly nextAt: number | undefined;
}

/**
 * Something that is done to all events that match (`replay`, `discard`) or to all jobs (`retry`, `cancel`),
 * in the background.
 */
export interface StoredPlan {
  /** A UUIDv7, so that later plans have larger ids. */
  readonly id: string;
  readonly action: "replay" | "discard" | "retry" | "cancel";
  readonly filter: Omit<EventFilter, "eventId" | "ids">;
  /** Which jobs, if it is about jobs. `filter` is empty then. */
  readonly jobs?: Omit<JobFilter, "eventId"> | undefined;
  /** Only events whose body contains this text. Up to 200 characters. */
  readonly text: string | undefined;
  /** Replays events that have been processed, too. */
  readonly force: boolean;
  /** How many events or jobs begin per second, at most: 0.01 to 1,000. */
  readonly perSecond: number;
  /**
   * Why events are discarded. Of a replay: why it also runs events that lack what their sender
   * promises; without it, they are skipped. Up to 500 characters.
   */
  readonly reason: string | undefined;
  /** Who made it: a user, or a person at the command line of the machine. Absent of older plans. */
  readonly madeBy?: { readonly kind: "user" | "operator"; readonly id: string };
  readonly state: PlanState;
  /** How often it was started or resumed. The job of an earlier run ends. */
  readonly runs: number;
  /** Milliseconds since the epoch, like all times here. */
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly preview: PlanPreview;
  readonly progress: PlanProgress;
}

export interface PlanFilter {
  readonly state?: PlanState;
}

interface PlanQuery extends PlanFilter {
  /** Only plans with a smaller id, which were made before. */
  readonly before?: string;
  /** Only plans with a larger id; these come oldest first. */
  readonly after?: string;
  /** 1 to 1,000. */
  readonly limit: number;
}

/** The plans of events and jobs. Driven port; `planStoreContract` is its definition in code. */
export interface PlanStore {
  find(id: string): Promise<StoredPlan | undefined>;
  /**
   * The plan, locked until the transaction ends. Another transaction that holds it waits, and then
   * sees what became of it. Only inside a transaction.
   */
  hold(id: string): Promise<StoredPlan | undefined>;
  /** Stores a new plan, or the plan of this id as it is now. */
  save(plan: StoredPlan): Promise<void>;
  /** Newest first, unless `after` is given. */
  list(query: PlanQuery): Promise<readonly StoredPlan[]>;
  /** The number of plans, counted up to `atMost`. */
  count(filter: PlanFilter, atMost: number): Promise<number>;
  /**
   * Deletes up to `limit` (1 to 1,000) plans that were made before `before` and neither run nor are
   * paused. Returns how many.
   */
  prune(before: number, limit: number): Promise<number>;
}
