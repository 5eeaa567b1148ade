import { AppError } from "@postern/core";
import type { HttpSettings } from "./options.ts";
import { createSlots, type WaitingRequests } from "./slots.ts";
import { createWorkOfLate, unitsOf } from "./work-of-late.ts";

/**
 * Refuses requests while more come than the server can answer. A caller that is refused at once can
 * try again soon. Networks that make more work than the average are refused first.
 */
export interface Overload {
  /**
   * Answers a request of the API, which holds a slot meanwhile. The slot counts in total and for
   * its network. If none is free, the request waits, unless others of its network wait for too long. `answer` gets the
   * slot, so that it can give it back while it waits for the caller.
   * @throws AppError `overloaded` before anything is done for it; whatever `answer` throws.
   */
  answer<Result>(network: string, answer: (slot: Slot) => Promise<Result>): Promise<Result>;
  /**
   * Refuses a webhook if the process is very late. Requests of the API are refused long before,
   * because a sender of webhooks does not try again as soon as a person does. @throws AppError
   * `overloaded`
   */
  admitWebhook(network: string): void;
  /**
   * The reason to refuse a request of the API now; `undefined` if there is none. Adapters ask
   * before they do any work for a request. `waiting` counts the requests that hold no slot yet and
   * will want one. Requests that never take one, such as webhooks, are not among them. A refusal is
   * counted.
   */
  refusalFor(network: string, waiting: WaitingRequests): RefusalReason | undefined;
  /**
   * Whether any request could be refused now. That is almost never so. While it is not, adapters
   * need not find out whose a request is. `waiting` is the number of requests of all networks,
   * counted as above.
   */
  isTight(waiting: number): boolean;
  /** Whether a further request of a network may wait, and is not refused. */
  mayWait(network: string): boolean;
  /** Whether a network recently made less than half as much work as the average. */
  makesLittle(network: string): boolean;
  /** How many requests of the API hold a slot or wait for one. */
  readonly requests: number;
  /** Notes the bytes of a body or of an answer as work that a network has made. */
  noteBytes(network: string, bytes: number): void;
}

/** Why a request is refused: too many are in flight, or the process is late. */
export type RefusalReason = "in_flight" | "event_loop_delay";

/** The fault that a refused caller gets. */
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
   * Gives the slot back, waits for something, and then takes a slot again.
   * @throws AppError `overloaded` if no slot is free then and none will be soon.
   */
  without<Result>(wait: () => Promise<Result>): Promise<Result>;
}

/** Webhooks are refused at this many times the delay at which the API is. */
const webhookPatience = 4;

/**
 * Returns a function that tells whether the process is too late. Once true, it stays true until the
 * delay is less than half of the limit, so that it does not flip back and forth.
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
 * One log line stands for all refusals within this time. A line for each would cost more than the
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

/** What can be refused, and why. */
const refusals: readonly (readonly ["api" | "webhook", RefusalReason])[] = [
  ["api", "in_flight"],
  ["api", "event_loop_delay"],
  ["webhook", "event_loop_delay"],
];

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
  for (const [requests, reason] of refusals) telemetry.count("http_requests_refused_total", { requests, reason }, 0);

  const note = (requests: "api" | "webhook", reason: RefusalReason): void => {
    telemetry.count("http_requests_refused_total", { requests, reason });
    report.note();
  };
  const refusal = (requests: "api" | "webhook", reason: RefusalReason): AppError => {
    note(requests, reason);
    return overloaded(reason);
  };

  /** A network that makes less work than the average is served until webhooks are refused, too. */
  const isTooLate = (network: string): boolean => isLate.api() && (work.isAboveAverage(network) || isLate.webhook());

  /** `undefined` if a slot is free at once. That is almost always so, and a promise costs time. */
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
    mayWait: (network) => !isLate.api() && slots.mayWait(network),
    makesLittle: work.isFarBelowAverage,
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

/** A request that asks for its slot now does not count requests that have not asked yet. */
const none: WaitingRequests = { ofAll: 0, ofNetwork: 0, networks: 0 };
