import type { ClaimedJob, NewJob } from "./job.ts";
import type { RunnerOffer } from "./job-queue.ts";

/** What the inbox decided about an authentic event when it arrived. */
export type EventDisposition =
  /** At least one handler wants it. */
  | "accepted"
  /** No handler wants it. It is kept for the record and for a later replay. */
  | "ignored"
  /** Authentic, but malformed for its type. No handler ever gets it. */
  | "quarantined"
  /** Somebody gave it up. Only a replay takes that back. */
  | "discarded";

/** A further key of an event. */
export interface OtherKey {
  readonly dedupeKey: string;
  /** It counts only for an event that was received at this time or later. */
  readonly since?: number;
}

export interface NewEvent {
  readonly provider: string;
  /** Unique per provider for as long as the row is kept; 1 to 191 bytes, compared bytewise. */
  readonly dedupeKey: string;
  /**
   * Further keys under which the same event may be stored. If it is, the delivery is a repeat of
   * that event. Nearly every event has none.
   */
  readonly otherKeys?: readonly OtherKey[];
  /** The sender's own id, if it has one. For people to read, not for deduplication. */
  readonly eventId: string | undefined;
  readonly type: string | undefined;
  /** Exactly the bytes that were signed. */
  readonly body: Uint8Array;
  /** Only headers on the allow list; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The query of the sender's URL, without the `?` and credentials, up to 4 KiB. Absent if there is none. */
  readonly query?: string | undefined;
  /** What was left out because it was too long or too much: `header:<name>`, `query`. */
  readonly leftOut?: readonly string[] | undefined;
  /** What the signature covers, if that is not what the sender's scheme says. */
  readonly covered?: readonly string[] | undefined;
  /** Lower-case hex SHA-256 of the body. */
  readonly bodySha256: string;
  /** The sender's own time in milliseconds since the epoch, if there is one. */
  readonly occurredAt: number | undefined;
  readonly receivedAt: number;
  readonly disposition: Exclude<EventDisposition, "discarded">;
  /**
   * Why it was quarantined or ignored, or that its signed bytes came before under another id.
   */
  readonly reason: string | undefined;
  /** One for each handler that wants the event; none if the event is not accepted. */
  readonly jobs: readonly NewJob[];
  /** How many further deliveries of the same event arrived while this one waited. Default 0. */
  readonly repeats?: number;
}

/** A job of an event that came to another database. One that has not ended waits again. */
export interface PastJob extends NewJob {
  readonly createdAt: number;
  /** How many attempts it has had. */
  readonly attempt: number;
  readonly lastError: string | undefined;
  readonly ended?: { readonly state: "dead" | "cancelled"; readonly at: number };
}

/** An event that came to another database, with what has become of it. */
export interface PastEvent extends Omit<NewEvent, "otherKeys" | "disposition" | "jobs"> {
  readonly disposition: EventDisposition;
  /** False if the body was deleted; `body` is empty then. */
  readonly bodyKept: boolean;
  /** As in `StoredEvent`. */
  readonly overruled?: string | undefined;
  readonly jobs: readonly PastJob[];
}

export type AcceptOutcome =
  | { readonly outcome: "accepted"; readonly id: number }
  /**
   * The event was stored before, or earlier in the same batch. `sameBody` is false if the repeat
   * had other bytes.
   */
  | { readonly outcome: "duplicate"; readonly id: number; readonly sameBody: boolean };

/**
 * The states of an event. They are computed from its disposition and its current jobs;
 * `jobs/job-life-cycle.ts` says how, and `docs/states.md` explains it.
 */
export const eventStates = [
  "received",
  "processing",
  "retrying",
  "processed",
  "dead",
  "cancelled",
  "ignored",
  "quarantined",
  "discarded",
] as const;

export type EventState = (typeof eventStates)[number];

export interface EventSummary {
  readonly id: number;
  readonly provider: string;
  readonly eventId: string | undefined;
  readonly type: string | undefined;
  readonly state: EventState;
  readonly reason: string | undefined;
  readonly occurredAt: number | undefined;
  readonly receivedAt: number;
  /** How often the sender delivered the event again. */
  readonly repeats: number;
  /**
   * False after body and headers were deleted, which happens before the event itself is
   * (`Housekeeping.prune`).
   */
  readonly bodyKept: boolean;
}

export interface StoredEvent extends EventSummary {
  readonly dedupeKey: string;
  readonly disposition: EventDisposition;
  /** Empty if the body was deleted, as the next three are absent then. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string | undefined;
  readonly leftOut?: readonly string[] | undefined;
  readonly covered?: readonly string[] | undefined;
  /** Why it was quarantined, if an operator said that it runs all the same. */
  readonly overruled?: string | undefined;
  /** `undefined` if it was deleted. */
  readonly body: Uint8Array | undefined;
  /** Why something of it cannot be read; no handler gets such an event. Absent if all can be. */
  readonly unreadable?: string;
}

/** Which events. All that is given must hold. */
export interface EventFilter {
  readonly provider?: string;
  /** The sender's own id. It has no index: look for its keys with `holders` first. */
  readonly eventId?: string;
  /** Only these events, up to 1,000. */
  readonly ids?: readonly number[];
  /**
   * The type, or a pattern in which `*` stands for any run of characters. A lone `*` also fits events
   * without a type.
   */
  readonly type?: string;
  readonly state?: EventState;
  /** Received at this time (milliseconds since the epoch) or later. */
  readonly since?: number;
  /** Received before this time. */
  readonly until?: number;
  /** Only events with a current job whose latest failure has this cause. */
  readonly cause?: string;
}

export interface EventQuery extends EventFilter {
  /** Only events with a smaller id: for the page after the one that ended with this id. */
  readonly before?: number;
  /** Only events with a larger id; these come oldest first. */
  readonly after?: number;
  /** 1 to 1,000. */
  readonly limit: number;
}

/** What to look for in bodies. */
interface BodySearch {
  /** Bytes that a body contains one after the other. At least one. */
  readonly part: Uint8Array;
  /** Bodies that are longer together are not looked at in one call. */
  readonly mostBytes: number;
}

/** How far a search in bodies came, and what it found. */
interface SearchedBodies {
  /** How many of the ids, counted from the first one, were looked at. */
  readonly looked: number;
  /** Those of them whose events contain the bytes, in the order in which they were given. */
  readonly holding: readonly number[];
}

/**
 * The inbox: events and their dedupe keys. Driven port; `eventStoreContract` is its definition in
 * code.
 */
export interface EventStore {
  /**
   * How many calls of `accept` the store works on at once. Further calls would only wait for each
   * other. Where `gatherAcceptsMs` is not 0, a further call comes only when one takes 50 ms or
   * longer.
   */
  readonly concurrentAccepts: number;
  /**
   * For how many milliseconds it pays to hold back the next `accept` after one of eight events or
   * more, so that more events share it. 0: it does not pay.
   */
  readonly gatherAcceptsMs: number;
  /**
   * Stores the events that are new, each with its jobs, in one transaction: all of them, or none if
   * it throws. Returns one outcome per event, in order. A repeat is counted and changes nothing
   * else. If two callers race with the same key, or each with a key that the other looks up, both get
   * an outcome and exactly one of them is `accepted`. When this resolves, everything is on disk. If the answer to a commit was lost, the
   * store first finds out whether the commit landed.
   * @throws AppError `unavailable` if the store cannot take events now.
   */
  accept(events: readonly NewEvent[]): Promise<readonly AcceptOutcome[]>;
  /**
   * Like `accept`, for a caller with free slots. It hands jobs out with the commit that stores
   * them, as claims, by the rules of `JobQueue.enqueueFor`. `claimed` is `undefined` if it is not
   * known what was handed out, because the answer to the commit was lost; the runner then asks
   * `Runners.running`.
   * @throws AppError `unavailable`, as `accept`; jobs may still have been handed out.
   */
  acceptFor(
    offer: RunnerOffer,
    events: readonly NewEvent[],
  ): Promise<{ readonly outcomes: readonly AcceptOutcome[]; readonly claimed: readonly ClaimedJob[] | undefined }>;
  /**
   * Stores events that came to another database, each with its jobs, in one transaction. An event
   * whose key is stored already is left as it is, and its repeats are not counted. Returns for each, in
   * order, its id, or `undefined` if it was there. Nothing tells the readers of the feed.
   */
  restore(events: readonly PastEvent[]): Promise<readonly (number | undefined)[]>;
  find(id: number): Promise<StoredEvent | undefined>;
  /** The events with these ids that are stored, in no particular order. */
  load(ids: readonly number[]): Promise<readonly StoredEvent[]>;
  /** The events that are stored under one of these keys, up to 1,000 keys, in no particular order. */
  holders(keys: readonly Pick<NewEvent, "provider" | "dedupeKey">[]): Promise<readonly number[]>;
  /** Newest first, unless `after` is given. Without bodies. */
  list(query: EventQuery): Promise<readonly EventSummary[]>;
  /**
   * Looks for bytes in the bodies of these events, in the order of the ids: exactly, as the sender
   * sent them. Looks at as many bodies as `mostBytes` allows, and at one in any case. An event that
   * is not stored, or whose body was deleted, contains nothing.
   */
  searchBodies(ids: readonly number[], search: BodySearch): Promise<SearchedBodies>;
  /** The number of events, counted up to `atMost`; with `after`, of those with a larger id. */
  count(filter: EventFilter & Pick<EventQuery, "after">, atMost: number): Promise<number>;
  /**
   * Runs events again, all in one transaction. New jobs of the same kind replace an event's current
   * jobs that are dead or cancelled (with `includeDone`, also those that are done). Of `extraJobs`,
   * those are added of whose kind the event has no current job. An event that gets jobs is
   * `accepted` from then on, with what is given of `overruled` and `type`. Returns how many jobs
   * were made for each event, in order. It is 0 also if another caller replayed the event at the same
   * moment, if its body was deleted and none is `sent`, or if it is `sent` and neither quarantined
   * nor ignored any more.
   */
  replay(events: readonly EventToReplay[], options: ReplayOptions): Promise<readonly number[]>;
  /**
   * Discards events that nothing will do anything about by itself, all in one transaction: those that
   * are dead, cancelled, ignored or quarantined. Their dead jobs are cancelled and give their order
   * keys away, and `reason` is kept with the events. Returns for each event, in order, whether it was
   * discarded now; false for any other event.
   */
  discard(
    ids: readonly number[],
    options: { readonly reason: string; readonly now: number },
  ): Promise<readonly boolean[]>;
}

export interface EventToReplay {
  readonly id: number;
  readonly extraJobs: readonly NewJob[];
  /** The jobs run at this time (milliseconds since the epoch); at once if absent. */
  readonly dueAt?: number;
  /** Why it was quarantined, if an operator says that it runs all the same. */
  readonly overruled?: string | undefined;
  /** The type that an operator gives to an event without one. */
  readonly type?: string | undefined;
  /** The event as its sender sent it again. It is stored if the body that was kept is gone. */
  readonly sent?: SentAgain | undefined;
}

/** What is stored again of an event that was sent again. */
export type SentAgain = Pick<NewEvent, "body" | "bodySha256" | "headers" | "query" | "leftOut" | "covered">;

export interface ReplayOptions {
  readonly includeDone: boolean;
  readonly now: number;
}
