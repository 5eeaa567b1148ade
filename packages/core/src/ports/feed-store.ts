import type { Alert } from "./alerts.ts";
import type { EventSummary } from "./event-store.ts";
import type { JobState } from "./job.ts";

/** An attempt of a job that failed. */
export interface FailedAttempt {
  readonly id: number;
  readonly kind: string;
  readonly eventId: number | undefined;
  /** The sender of its event. */
  readonly provider: string | undefined;
  readonly attempt: number;
  /** What the job became: `scheduled` if it is tried again. */
  readonly state: JobState;
  /** The first line of its error, up to 200 characters. */
  readonly error: string;
}

/** Something that happened. `part` orders what happened in one commit; a later part is larger. */
export type FeedEntry =
  /** An event was stored. Its state is that of the moment when the entry is read. */
  | { readonly kind: "event"; readonly part: number; readonly event: EventSummary }
  | { readonly kind: "job"; readonly part: number; readonly job: FailedAttempt }
  | { readonly kind: "alert"; readonly part: number; readonly alert: Alert };

/** What one commit brought. */
export interface FeedCommit {
  /** A later commit has a larger number. Numbers may be left out. */
  readonly place: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** By `part`. Empty if the events were deleted since. */
  readonly entries: readonly FeedEntry[];
}

/**
 * What happened, in the order of its commits. `EventStore.accept` and the ends of jobs add to it in
 * their own transaction; a second step numbers what they have committed. So a commit that comes late
 * has a later number, and a reader that goes from number to number misses nothing. Driven port;
 * `feedStoreContract` is its definition in code.
 */
export interface FeedStore {
  /** Adds an alert. */
  alert(alert: Alert, at: number): Promise<void>;
  /**
   * Numbers up to 1,000 of the commits that have none. Any number of processes may call it at the
   * same time. Returns how many it numbered.
   */
  number(): Promise<number>;
  /** The largest number; 0 if there is none. */
  newest(): Promise<number>;
  /** Whether the commit with this number is still kept. */
  has(place: number): Promise<boolean>;
  /**
   * Numbered commits behind `after`, oldest first: at most `limit` (1 to 1,000), and at least one if
   * there is one, but fewer if they have more than 1,000 entries together.
   */
  read(after: number, limit: number): Promise<readonly FeedCommit[]>;
  /** Deletes up to `limit` (1 to 1,000) of the commits before `before`. Returns how many. */
  prune(before: number, limit: number): Promise<number>;
}
