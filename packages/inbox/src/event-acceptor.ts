import type { NewJob, Ports } from "@postern/core";
import { AppError } from "@postern/core";
import type { AcceptOutcome, ClaimedJob, NewEvent, StoredEvent, Telemetry } from "@postern/core/ports";
import type { LocalHandoff } from "@postern/jobs/internal";
import { groupCommit } from "@postern/jobs/internal";

/** Stores the events of webhooks. Every accepted event goes through it. */
export interface EventAcceptor {
  /**
   * Stores the event, in one commit with the other events that wait. Deliveries of one event that
   * wait together are stored as one.
   * @throws AppError `overloaded` when too much is waiting; `unavailable` when the store does not
   *   take it in time. It may then have been stored all the same: the sender's next try is a
   *   repeat.
   */
  accept(event: NewEvent): Promise<AcceptOutcome>;
  /**
   * Why events cannot be stored at the moment. It becomes `undefined` as soon as one was stored or
   * `recovered` was called.
   */
  readonly fault: AppError | undefined;
  recovered(): void;
}

const mebibyte = 1024 * 1024;
/** The size of one flush of events, and how much may wait for the next. */
const batchLimits = {
  items: 500,
  waiting: 10_000,
  bytes: { of: ({ event }: Pending) => event.body.length, flush: 4 * mebibyte, waiting: 64 * mebibyte },
};
/**
 * Longer events have one flush at a time, of their own. To store 5 MB takes 100 ms, and no other
 * event waits for that.
 */
const longBytes = mebibyte / 4;
/** Fewer events than this come from few senders, who would wait longer than they gain. */
const gatherFrom = 8;
/** A flush that takes longer waits for something: for a lock, or for a slow disk. */
const slowGatherMs = 50;
/**
 * Most senders wait for five seconds or more. One that gives up sooner sends the event again, as
 * after a refusal. Milliseconds in which the event loop ran: where it is held up, the event may be
 * stored already, and a refusal would only bring it once more.
 */
const waitMs = 4_500;
/** Senders of long events wait for ten seconds. */
const longPatience = 2;
/**
 * While a flush takes longer than `ms`, only this many events may wait for the next. A burst brings
 * as many as one address may have connections, and they can all be stored in time.
 */
const slowFlush = { ms: 500, waiting: 2_000 };

/** A waiting event, and how many more deliveries of it have joined. */
interface Pending {
  readonly event: NewEvent;
  readonly key: string;
  repeats: number;
  outcome: Promise<AcceptOutcome> | undefined;
}

const tooMany = (): AppError =>
  new AppError("overloaded", {
    detail: "Too many events are waiting to be stored; send it again in a moment.",
    headers: { "retry-after": "1" },
  });

/** The events whose jobs were claimed. */
const claimedEvents = (
  events: readonly NewEvent[],
  outcomes: readonly AcceptOutcome[],
  claimed: readonly ClaimedJob[],
): ReadonlyMap<number, StoredEvent> => {
  const wanted = new Set<number | undefined>();
  for (const { eventId } of claimed) wanted.add(eventId);
  const found = new Map<number, StoredEvent>();
  for (const [index, event] of events.entries()) {
    const { outcome, id = -1 } = outcomes[index] ?? {};
    if (outcome !== "accepted" || !wanted.has(id)) continue;
    // As reading it back would return it. Every member has its name here: an object that is made of
    // the rest of another takes 2 kB.
    found.set(id, {
      id,
      provider: event.provider,
      dedupeKey: event.dedupeKey,
      eventId: event.eventId,
      type: event.type,
      state: "processing",
      disposition: event.disposition,
      reason: event.reason,
      occurredAt: event.occurredAt,
      receivedAt: event.receivedAt,
      repeats: event.repeats ?? 0,
      headers: event.headers,
      query: event.query,
      leftOut: event.leftOut,
      covered: event.covered,
      body: event.body,
      bodyKept: true,
    });
  }
  return found;
};

/** Whether events can be stored, as far as the last flushes tell. */
const createStoreHealth = (telemetry: Telemetry) => {
  let fault: AppError | undefined;
  return {
    get fault() {
      return fault;
    },
    failed: (thrown: unknown): void => {
      if (!(thrown instanceof AppError && (thrown.code === "unavailable" || thrown.code === "storage_full"))) return;
      if (fault === undefined) telemetry.log("error", "events cannot be stored at the moment", {}, thrown);
      fault = thrown;
    },
    recovered: (): void => {
      if (fault !== undefined) telemetry.log("info", "events can be stored again");
      fault = undefined;
    },
  };
};

/**
 * Stores events with their jobs. A job for which a worker of this process has a free slot starts
 * with the commit.
 */
const storeEvents = async (
  { storage, wakeup }: Pick<Ports, "storage" | "wakeup">,
  handoff: Pick<LocalHandoff, "store" | "shares">,
  given: readonly NewEvent[],
): Promise<readonly AcceptOutcome[]> => {
  const { shares } = handoff;
  const events: NewEvent[] = [];
  const jobs: NewJob[] = [];
  for (const event of given) {
    const own: NewJob[] = [];
    let isMoved = false;
    for (const job of event.jobs) {
      const placed = shares.placed(event.provider, job);
      if (placed !== job) isMoved = true;
      own.push(placed);
      jobs.push(placed);
    }
    events.push(isMoved ? { ...event, jobs: own } : event);
  }
  const stored = await handoff.store<readonly AcceptOutcome[]>(jobs, wakeup, async (offer) => {
    if (offer === undefined) return { result: await storage.events.accept(events), claimed: [] };
    const { outcomes, claimed } = await storage.events.acceptFor(offer, events);
    if (claimed === undefined) return { result: outcomes, claimed };
    return { result: outcomes, claimed, events: claimedEvents(events, outcomes, claimed) };
  });
  // Only now: if the worker got some of them with the commit, the queue was empty before it.
  for (const [index, { provider, jobs: own }] of events.entries()) {
    if (stored[index]?.outcome !== "accepted") continue;
    for (const job of own) shares.stored(provider, job);
  }
  return stored;
};

const tooLate = (): AppError =>
  new AppError("unavailable", {
    detail: "The event could not be stored in time; send it again.",
    headers: { "retry-after": "1" },
  });

type AcceptorPorts = Pick<Ports, "storage" | "clock" | "telemetry" | "wakeup">;

export const createEventAcceptor = (
  ports: AcceptorPorts,
  handoff: Pick<LocalHandoff, "store" | "shares">,
  onStored = (): void => undefined,
): EventAcceptor => {
  const { storage, clock, telemetry } = ports;
  /**
   * The events that no flush has taken yet, by key. Each time it becomes empty, a new map takes its
   * place.
   */
  let joinable = new Map<string, Pending>();
  const health = createStoreHealth(telemetry);
  /** When each flush that is under way began. */
  const flushes = new Set<{ readonly since: number }>();

  /** A delivery that comes from now on with this key does not join. */
  const close = (pending: Pending): void => {
    if (joinable.get(pending.key) === pending) joinable.delete(pending.key);
  };

  const flush = async (batch: readonly Pending[]): Promise<readonly AcceptOutcome[]> => {
    for (const pending of batch) close(pending);
    // A map under change drops its table again and again, and V8 links each table to the next. With
    // one map for ever, a dropped table that had become old kept all later ones and their events
    // until the whole heap was collected.
    if (joinable.size === 0) joinable = new Map();
    const events: NewEvent[] = [];
    for (const { event, repeats } of batch) events.push(repeats === 0 ? event : { ...event, repeats });
    const flushing = { since: clock.monotonic() };
    flushes.add(flushing);
    try {
      const outcomes = await storeEvents(ports, handoff, events);
      telemetry.observe("inbox_commit_ms", clock.monotonic() - flushing.since);
      telemetry.observe("inbox_batch_events", events.length);
      health.recovered();
      onStored();
      return outcomes;
    } catch (thrown) {
      health.failed(thrown);
      throw thrown;
    } finally {
      flushes.delete(flushing);
    }
  };

  const patience = (ms: number) => ({
    clock,
    ms,
    tooLate: () => {
      const late = tooLate();
      health.failed(late);
      return late;
    },
  });
  const submitUsual = groupCommit<Pending, AcceptOutcome>(flush, {
    ...batchLimits,
    flushes: storage.events.concurrentAccepts,
    ...(storage.events.gatherAcceptsMs === 0
      ? {}
      : { gather: { clock, from: gatherFrom, ms: storage.events.gatherAcceptsMs, slowMs: slowGatherMs } }),
    patience: patience(waitMs),
    // The next delivery is an event of its own.
    gone: close,
  });
  const submitLong = groupCommit<Pending, AcceptOutcome>(flush, {
    ...batchLimits,
    patience: patience(longPatience * waitMs),
    gone: close,
  });
  /** Whether a flush that is under way takes long. */
  const isSlow = (): boolean => {
    const now = clock.monotonic();
    for (const { since } of flushes) if (now - since > slowFlush.ms) return true;
    return false;
  };

  /** Joins a delivery of the same event that waits already, so that it adds nothing to the wait. */
  const join = async (pending: Pending, event: NewEvent): Promise<AcceptOutcome> => {
    pending.repeats += 1;
    const first = await (pending.outcome ?? begin(event, pending.key));
    const sameBody = first.outcome === "accepted" || first.sameBody;
    return { outcome: "duplicate", id: first.id, sameBody: sameBody && event.bodySha256 === pending.event.bodySha256 };
  };

  const begin = (event: NewEvent, key: string): Promise<AcceptOutcome> => {
    if (joinable.size >= slowFlush.waiting && isSlow()) return Promise.reject(tooMany());
    const pending: Pending = { event, key, repeats: 0, outcome: undefined };
    joinable.set(key, pending);
    const outcome = event.body.length > longBytes ? submitLong(pending) : submitUsual(pending);
    pending.outcome = outcome;
    return outcome;
  };

  return {
    accept: (event) => {
      const key = `${event.provider} ${event.dedupeKey}`;
      const pending = joinable.get(key);
      // Another body under the same id is an event of its own: the store tells which of them came
      // first.
      const same = pending !== undefined && pending.event.bodySha256 === event.bodySha256;
      return same ? join(pending, event) : begin(event, key);
    },
    get fault() {
      return health.fault;
    },
    recovered: health.recovered,
  };
};
