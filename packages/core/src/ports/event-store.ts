import type { NewJob } from "./job-store.ts";

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
}

export type AcceptOutcome =
  | { readonly outcome: "accepted"; readonly id: number }
  /** Stored before, or earlier in the same batch. `sameBody` is false when the repeat carried other bytes. */
  | { readonly outcome: "duplicate"; readonly id: number; readonly sameBody: boolean };

/** Where an event stands, derived from its disposition and its current jobs. `docs/states.md` draws it. */
export type EventState = "received" | "processing" | "retrying" | "processed" | "dead" | "ignored" | "quarantined";

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
}

export interface StoredEvent extends EventSummary {
  readonly dedupeKey: string;
  readonly disposition: EventDisposition;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface EventQuery {
  readonly provider?: string;
  readonly type?: string;
  readonly state?: EventState;
  /** Only events with a smaller id: the page after the one that ended with it. */
  readonly before?: number;
  /** 1 to 1,000. */
  readonly limit: number;
}

/**
 * The inbox: events and their dedupe keys. Driven port; `eventStoreContract` is its definition in code.
 */
export interface EventStore {
  /**
   * Stores the events that are new, each with its jobs, in one transaction: all of them or, when it throws, none. One outcome per event,
   * in order. A repeat is counted and otherwise changes nothing; two callers racing with the same key both get an outcome, one of them
   * `accepted`. When this resolves, everything is on disk.
   * @throws AppError `unavailable` when the store cannot take them now.
   */
  accept(events: readonly NewEvent[]): Promise<readonly AcceptOutcome[]>;
  find(id: number): Promise<StoredEvent | undefined>;
  /** The stored ones among `ids`, in no particular order. */
  load(ids: readonly number[]): Promise<readonly StoredEvent[]>;
  /** Newest first, without bodies. */
  list(query: EventQuery): Promise<readonly EventSummary[]>;
  /**
   * Runs an event again: its current jobs that are dead (or done, too, with `includeDone`) are replaced by new jobs of the same kind,
   * and `extraJobs` are added, for an event that had none. An event that gets jobs is `accepted` from then on. Answers how many
   * jobs were made; 0 also when another caller replayed it at the same moment.
   */
  replay(id: number, options: ReplayOptions): Promise<number>;
}

export interface ReplayOptions {
  readonly includeDone: boolean;
  readonly extraJobs: readonly NewJob[];
  readonly now: number;
}
