import { AppError } from "../errors/index.ts";
import { naturalBatch } from "../jobs/natural-batch.ts";
import type { SlotDesk } from "../jobs/slot-desk.ts";
import type { AcceptOutcome, NewEvent, StoredEvent } from "../ports/event-store.ts";
import type { Ports } from "../ports/index.ts";
import type { ClaimedJob } from "../ports/job.ts";

/** The narrow door between webhooks and the store: everything that is accepted goes through it. */
export interface EventAcceptor {
  /**
   * Stores the event, in one commit with whatever else is waiting. Deliveries of one event that wait together are stored as one.
   * @throws AppError `overloaded` when too much is waiting; `unavailable` when the store does not take it in time. It may then have been stored all
   *   the same: the sender's next try is a repeat.
   */
  accept(event: NewEvent): Promise<AcceptOutcome>;
  /** Why events cannot be stored at the moment; `undefined` as soon as one has been, or `recovered` was called. */
  readonly fault: AppError | undefined;
  recovered(): void;
}

const mebibyte = 1024 * 1024;
/** One flush of events, and what may wait for the next. */
const batchLimits = {
  items: 500,
  waiting: 10_000,
  bytes: { of: ({ event }: Pending) => event.body.length, flush: 4 * mebibyte, waiting: 64 * mebibyte },
};
/** The tightest senders wait for one to three seconds; an answer that comes later is none. */
const commitWaitMs = 2_400;
/** While a flush takes longer than this, only so many events may wait for the next. */
const slowFlush = { ms: 500, waiting: 200 };

/** An event on its way, and how many more deliveries of it have joined. */
interface Pending {
  readonly event: NewEvent;
  readonly key: string;
  repeats: number;
  outcome: Promise<AcceptOutcome> | undefined;
}

const keyOf = ({ provider, dedupeKey }: NewEvent): string => `${provider} ${dedupeKey}`;

const tooMany = (): AppError =>
  new AppError("overloaded", {
    detail: "More events are waiting to be stored than can be; send it again in a moment.",
    headers: { "retry-after": "1" },
  });

/** The events that the claims are about. */
const claimedEvents = (
  events: readonly NewEvent[],
  outcomes: readonly AcceptOutcome[],
  claimed: readonly ClaimedJob[],
): ReadonlyMap<number, StoredEvent> => {
  const wanted = new Set(claimed.map(({ eventId }) => eventId));
  const found = new Map<number, StoredEvent>();
  events.forEach((event, index) => {
    const { outcome, id = -1 } = outcomes[index] ?? {};
    if (outcome === "accepted" && wanted.has(id)) found.set(id, justStored(event, id));
  });
  return found;
};

/** An event that has just been accepted, as it would be read. */
const justStored = (
  { jobs: _jobs, bodySha256: _digest, repeats = 0, ...event }: NewEvent,
  id: number,
): StoredEvent => ({
  ...event,
  id,
  repeats,
  state: "processing",
  bodyKept: true,
});

interface EventAcceptorParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "telemetry" | "wakeup">;
  readonly slotDesk: SlotDesk;
}

export const createEventAcceptor = ({
  ports: { storage, clock, telemetry, wakeup },
  slotDesk,
}: EventAcceptorParts): EventAcceptor => {
  /** Those that no flush has taken yet, by key. */
  const joinable = new Map<string, Pending>();
  const flushes = new Set<{ readonly since: number }>();
  let fault: AppError | undefined;

  const failed = (thrown: unknown): void => {
    if (!(thrown instanceof AppError) || thrown.code !== "unavailable") return;
    if (fault === undefined) telemetry.log("error", "events cannot be stored at the moment", {}, thrown);
    fault = thrown;
  };
  const recovered = (): void => {
    if (fault !== undefined) telemetry.log("info", "events can be stored again");
    fault = undefined;
  };

  /** Whoever comes now with this key is a delivery of its own. */
  const close = (pending: Pending): void => {
    if (joinable.get(pending.key) === pending) joinable.delete(pending.key);
  };

  /** Stores events. Jobs of theirs for which a worker of this process has room start with the commit; the rest is announced. */
  const store = async (events: readonly NewEvent[]): Promise<readonly AcceptOutcome[]> => {
    const jobs = events.flatMap((event) => event.jobs);
    const queue = jobs[0]?.queue ?? "default";
    const ofQueue = jobs.filter((job) => (job.queue ?? "default") === queue).length;
    const reservation = ofQueue === 0 ? undefined : slotDesk.reserve(queue, ofQueue);
    if (reservation === undefined) {
      const outcomes = await storage.events.accept(events);
      if (jobs.length > 0) wakeup.notify();
      return outcomes;
    }
    try {
      const { outcomes, claimed } = await storage.events.acceptFor(reservation.offer, events);
      if (claimed === undefined) reservation.fail();
      else reservation.start(claimed, claimedEvents(events, outcomes, claimed));
      if ((claimed?.length ?? 0) < jobs.length) wakeup.notify();
      return outcomes;
    } catch (thrown) {
      reservation.fail();
      throw thrown;
    }
  };

  const flush = async (batch: readonly Pending[]): Promise<readonly AcceptOutcome[]> => {
    for (const pending of batch) close(pending);
    const flushing = { since: clock.monotonic() };
    flushes.add(flushing);
    try {
      const outcomes = await store(batch.map(({ event, repeats }) => (repeats === 0 ? event : { ...event, repeats })));
      telemetry.observe("inbox_commit_ms", clock.monotonic() - flushing.since);
      telemetry.observe("inbox_batch_events", batch.length);
      recovered();
      return outcomes;
    } catch (thrown) {
      failed(thrown);
      throw thrown;
    } finally {
      flushes.delete(flushing);
    }
  };

  const submit = naturalBatch<Pending, AcceptOutcome>(flush, {
    ...batchLimits,
    flushes: storage.events.concurrentAccepts,
    patience: {
      clock,
      ms: commitWaitMs,
      tooLate: () => {
        const late = new AppError("unavailable", {
          detail: "The event could not be stored in time; send it again.",
          headers: { "retry-after": "1" },
        });
        failed(late);
        return late;
      },
    },
  });

  const isSlow = (): boolean => {
    const now = clock.monotonic();
    for (const { since } of flushes) if (now - since > slowFlush.ms) return true;
    return false;
  };

  /** Joins a delivery of the same event that waits already; what it adds to the wait is nothing. */
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
    const outcome = submit(pending);
    pending.outcome = outcome;
    // One that is refused, or too late, is waited for by nobody else.
    outcome.catch(() => close(pending));
    return outcome;
  };

  return {
    accept: (event) => {
      const key = keyOf(event);
      const pending = joinable.get(key);
      // Another body under the same id is its own affair: the store tells which of them came first.
      const same = pending !== undefined && pending.event.bodySha256 === event.bodySha256;
      return same ? join(pending, event) : begin(event, key);
    },
    get fault() {
      return fault;
    },
    recovered,
  };
};
