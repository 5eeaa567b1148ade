import { AppError } from "@postern/core";
import type { HttpSettings } from "./options.ts";
import { createSlots, type WaitingRequests } from "./slots.ts";
import { createWorkOfLate, unitsOf } from "./work-of-late.ts";

/**
 * Turns requests away while there are more than can be answered: a caller that is refused at once
 * can come again soon. Networks that make more work than the average are refused first.
 */
export interface Overload {
  /**
   * Answers a request of the API. It holds a slot in all and of its network, which it waits for
   * where that will not take long; `answer` gets the slot, so that it can give it back while it
   * waits for the caller.
   * @throws AppError `overloaded` before anything is done for it; whatever `answer` throws.
   */
  answer<Result>(network: string, answer: (slot: Slot) => Promise<Result>): Promise<Result>;
  /**
   * Refuses a webhook, long after requests of the API are refused: its sender does not come again
   * as soon as a person does. @throws AppError `overloaded`
   */
  admitWebhook(network: string): void;
  /**
   * Why a request of the API would be refused now; `undefined` when it would not. Adapters ask
   * before they make anything of a request. `waiting` requests hold no slot yet and will want one;
   * those that never take one, such as webhooks, are not among them. A refusal is counted.
   */
  refusalFor(network: string, waiting: WaitingRequests): RefusalReason | undefined;
  /**
   * Whether any request could be refused now. Almost never, and then adapters need not find out
   * whose a request is. `waiting` as above, of all networks.
   */
  isTight(waiting: number): boolean;
  /**
   * Whether a request of the API that comes after those in `waiting` would be answered in a
   * moment, and not refused.
   */
  isSoon(network: string, waiting: WaitingRequests): boolean;
  /** The requests of the API that hold a slot or wait for one. */
  readonly requests: number;
  /** Notes the bytes of a body or of an answer as work that a network has made. */
  noteBytes(network: string, bytes: number): void;
}

/** Why a request is refused: too many are in flight, or the process is late. */
export type RefusalReason = "in_flight" | "event_loop_delay";

/** What a caller is told. */
export const overloaded = (reason: RefusalReason): AppError =>
  new AppError("overloaded", {
    detail:
      reason === "in_flight"
        ? "Too many requests are being answered at the moment; send it again in a second."
        : "The server cannot keep up at the moment; send it again in a second.",
    headers: { "retry-after": "1" },
  });

export interface Slot {
  /**
   * Waits for something without the slot, and takes it again afterwards. @throws AppError
   * `overloaded` when there is none then, and will not be soon.
   */
  without<Result>(wait: () => Promise<Result>): Promise<Result>;
}

/** Webhooks are refused at this many times the delay at which the API is. */
const webhookPatience = 4;

/**
 * Once the process was too late, this stays true until it is less than half as late, so that it
 * does not waver.
 */
const createLatch = (limitMs: number, delayMs: () => number, noteChange: (late: boolean) => void): (() => boolean) => {
  let late = false;
  return () => {
    const next = delayMs() >= (late ? limitMs / 2 : limitMs);
    if (next !== late) noteChange(next);
    late = next;
    return late;
  };
};

/**
 * One line for all that was refused within this time: a line for each would cost more than the
 * refusal.
 */
const reportEveryMs = 10_000;

const createRefusalReport = (telemetry: HttpSettings["telemetry"]): { note(): void } => {
  let refused = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    telemetry.log("warn", "requests refused because of overload", { refused, seconds: reportEveryMs / 1000 });
    refused = 0;
    timer = undefined;
  };
  return {
    note: () => {
      refused += 1;
      timer ??= setTimeout(write, reportEveryMs);
      if (typeof timer === "object") timer.unref();
    },
  };
};

export const createOverload = (
  settings: Pick<
    HttpSettings,
    "maxInFlight" | "maxInFlightPerAddress" | "maxSlotWaitMs" | "maxEventLoopDelayMs" | "eventLoopDelayMs" | "telemetry"
  >,
  now: () => number = () => performance.now(),
): Overload => {
  const { maxEventLoopDelayMs, eventLoopDelayMs, telemetry } = settings;
  const slots = createSlots(settings, now);
  const work = createWorkOfLate(now);
  const latch = (kind: "api" | "webhook", limitMs: number) =>
    createLatch(limitMs, eventLoopDelayMs, (late) => {
      const facts = { requests: kind, event_loop_delay_ms: Math.round(eventLoopDelayMs()) };
      telemetry.log("warn", late ? "overloaded: requests are refused" : "no longer overloaded", facts);
    });
  const isLate = {
    api: latch("api", maxEventLoopDelayMs),
    webhook: latch("webhook", maxEventLoopDelayMs * webhookPatience),
  };

  const report = createRefusalReport(telemetry);

  const note = (requests: "api" | "webhook", reason: RefusalReason): void => {
    telemetry.count("http_requests_refused_total", { requests, reason });
    report.note();
  };
  const refusal = (requests: "api" | "webhook", reason: RefusalReason): AppError => {
    note(requests, reason);
    return overloaded(reason);
  };

  /** Late: who makes less work than the average is served until it is as late as for webhooks. */
  const isTooLate = (network: string): boolean => isLate.api() && (work.isAboveAverage(network) || isLate.webhook());

  /** `undefined` when it has a slot at once: nearly always, and a promise costs time. */
  const take = (network: string): Promise<void> | undefined => {
    if (slots.areTaken(network, none)) throw refusal("api", "in_flight");
    return slots.take(network);
  };

  return {
    answer: async (network, answer) => {
      work.note(network, 1);
      if (isTooLate(network)) throw refusal("api", "event_loop_delay");
      const free = take(network);
      if (free !== undefined) await free;
      let holds = true;
      try {
        return await answer({
          without: async (wait) => {
            slots.release(network);
            holds = false;
            const result = await wait();
            await take(network);
            holds = true;
            return result;
          },
        });
      } finally {
        if (holds) slots.release(network);
      }
    },
    refusalFor: (network, waiting) => {
      const late = isTooLate(network);
      if (!late && !slots.areTaken(network, waiting)) return undefined;
      work.note(network, 1);
      const reason = late ? "event_loop_delay" : "in_flight";
      note("api", reason);
      return reason;
    },
    isTight: (waiting) => isLate.api() || slots.areFew(waiting),
    isSoon: (network, waiting) => !isLate.api() && slots.isSoon(network, waiting),
    get requests() {
      return slots.requests;
    },
    admitWebhook: (network) => {
      work.note(network, 1);
      if (isLate.webhook() && work.isAboveAverage(network)) throw refusal("webhook", "event_loop_delay");
    },
    noteBytes: (network, bytes) => work.note(network, unitsOf(bytes)),
  };
};

/** A request that asks for a slot itself waits nowhere else. */
const none: WaitingRequests = { ofAll: 0, ofNetwork: 0, networks: 0 };
