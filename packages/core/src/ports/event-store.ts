import type { ClaimedJob, NewJob } from "./job.ts";
import type { SlotOffer } from "./job-queue.ts";

/** What the inbox decided about an authentic event when it came in. */
export type EventDisposition =
  /** At least one handler wants it. */
  | "accepted"
  /** No handler wants it; kept for the record and for a later replay. */
  | "ignored"
  /** Authentic, but not what its schema says; never handed to a handler. */
  | "quarantined";

export interface NewEvent {
  readonly provider: string;
  /** Unique per provider for as long as the row is kept; 1 to 191 bytes, compared bytewise. */
  readonly dedupeKey: string;
  /** The sender's own id, where there is one; for people, not for deduplication. */
  readonly eventId: string | undefined;
  readonly type: string | undefined;
  /** Exactly the bytes that were signed. */
  readonly body: Uint8Array;
  /** Allow-listed headers only; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Lower-case hex SHA-256 of the body. */
  readonly bodySha256: string;
  /** The sender's own time in milliseconds since the epoch, where there is one. */
  readonly occurredAt: number | undefined;
  readonly receivedAt: number;
  readonly disposition: EventDisposition;
  /** Why it was quarantined or ignored. */
  readonly reason: string | undefined;
  /** One per handler that wants the event; none unless it is accepted. */
  readonly jobs: readonly NewJob[];
  /** Further deliveries of the very same event that came in while this one waited; 0 unless told. */
  readonly repeats?: number;
}

export type AcceptOutcome =
  | { readonly outcome: "accepted"; readonly id: number }
  /** Stored before, or earlier in the same batch. `sameBody` is false when the repeat carried other bytes. */
  | { readonly outcome: "duplicate"; readonly id: number; readonly sameBody: boolean };

/** Where an event stands, derived from its disposition and its current jobs. `docs/states.md` draws it. */
export type EventState =
  | "received"
  | "processing"
  | "retrying"
  | "processed"
  | "dead"
  | "cancelled"
  | "ignored"
  | "quarantined";

export interface EventSummary {
  readonly id: number;
  readonly provider: string;
  readonly eventId: string | undefined;
  readonly type: string | undefined;
  readonly state: EventState;
  readonly reason: string | undefined;
  readonly occurredAt: number | undefined;
  readonly receivedAt: number;
  /** How often the sender delivered it again. */
  readonly repeats: number;
  /** False once its body and headers were deleted, before the event itself (`Housekeeping.prune`). */
  readonly bodyKept: boolean;
}

export interface StoredEvent extends EventSummary {
  readonly dedupeKey: string;
  readonly disposition: EventDisposition;
  /** Empty when the body is kept no longer. */
  readonly headers: Readonly<Record<string, string>>;
  /** `undefined` when it is kept no longer. */
  readonly body: Uint8Array | undefined;
}

export interface EventQuery {
  readonly provider?: string;
  readonly type?: string;
  readonly state?: EventState;
  /** Received at this time (milliseconds since the epoch) or later. */
  readonly since?: number;
  /** Received before this time. */
  readonly until?: number;
  /** Only events with a smaller id: the page after the one that ended with it. */
  readonly before?: number;
  /** Only events with a larger id, and then oldest first. */
  readonly after?: number;
  /** 1 to 1,000. */
  readonly limit: number;
}

/**
 * The inbox: events and their dedupe keys. Driven port; `eventStoreContract` is its definition in code.
 */
export interface EventStore {
  /** How many calls of `accept` it works on at once; further ones only wait for each other. */
  readonly concurrentAccepts: number;
  /**
   * Stores the events that are new, each with its jobs, in one transaction: all of them or, when it throws, none. One outcome per event,
   * in order. A repeat is counted and otherwise changes nothing; two callers racing with the same key both get an outcome, one of them
   * `accepted`. When this resolves, everything is on disk; whether a commit landed whose answer was lost is found out before.
   * @throws AppError `unavailable` when the store cannot take them now.
   */
  accept(events: readonly NewEvent[]): Promise<readonly AcceptOutcome[]>;
  /**
   * The same for a caller with free slots: hands jobs out with the commit that stores them, as claims, under the rules of `JobQueue.enqueueFor`. `claimed`
   * is `undefined` where it is not known what was handed out, because the answer to the commit was lost: the runner asks `Runners.running`.
   * @throws AppError `unavailable`, as `accept`; jobs may then have been handed out all the same.
   */
  acceptFor(
    offer: SlotOffer,
    events: readonly NewEvent[],
  ): Promise<{ readonly outcomes: readonly AcceptOutcome[]; readonly claimed: readonly ClaimedJob[] | undefined }>;
  find(id: number): Promise<StoredEvent | undefined>;
  /** The stored ones among `ids`, in no particular order. */
  load(ids: readonly number[]): Promise<readonly StoredEvent[]>;
  /** Newest first unless `after` is given, without bodies. */
  list(query: EventQuery): Promise<readonly EventSummary[]>;
  /**
   * Runs events again, all in one transaction: an event's current jobs that are dead or cancelled (or done, too, with `includeDone`) are replaced by
   * new jobs of the same kind, and those of `extraJobs` are added of whose kind it has no current job. An event that gets jobs is `accepted` from then
   * on. Answers how many jobs were made for each, in order; 0 also when another caller replayed it at the same moment, or its body is kept no longer.
   */
  replay(events: readonly EventToReplay[], options: ReplayOptions): Promise<readonly number[]>;
}

export interface EventToReplay {
  readonly id: number;
  readonly extraJobs: readonly NewJob[];
  /** Its jobs run at this time (milliseconds since the epoch); at once when absent. */
  readonly dueAt?: number;
}

export interface ReplayOptions {
  readonly includeDone: boolean;
  readonly now: number;
}
