import { AppError } from "@postern/core";
import { createLine, type Line, type Share } from "@postern/core/parts";
import type { HttpSettings } from "../options.ts";
import { clock, turns } from "./turns.ts";

/** What is asked for: this decides what a request waits for, and why it is refused. */
export type RequestKind = "health" | "api" | "webhook" | "page";

/** What an admitted request holds until it has been answered. */
export interface Ticket {
  /**
   * Waits for something, such as a body, without a place among the requests in flight.
   * @throws AppError `overloaded` if there is no place afterwards, and none in time.
   */
  without<Result>(wait: () => Promise<Result>): Promise<Result>;
  release(): void;
}

/** The only decision on whether, and when, a request runs. */
export interface Admission {
  /**
   * In this order: an overloaded process refuses, then the request waits for its turn of the event
   * loop, then a request of the API for a place among those in flight. Only the last holds anything,
   * so requests never wait for each other without end.
   * @throws AppError `overloaded`, before anything else is done for the request.
   */
  admit(network: string, kind: RequestKind): Ticket | Promise<Ticket>;
}

/** As many as there are connections could wait. */
const mostWaiting = 10_000;

export const createAdmission = (settings: HttpSettings): Admission => {
  const { maxInFlight, placeWaitMs: waitMs } = settings;
  const overload = createOverload(settings);
  const inFlight = createLine(
    {
      most: maxInFlight,
      mostOfKey: Math.ceil(maxInFlight / 2),
      waiting: waitMs === 0 ? 0 : mostWaiting,
      waitMs,
      refusal: () => overload.refusal("api", "in_flight"),
    },
    clock,
  );
  return {
    admit: (network, kind) => {
      if (kind === "health") return turns.beginHealthCheck(network)?.then(() => free) ?? free;
      if (kind !== "page") overload.check(kind);
      const turn = turns.begin(network);
      if (kind !== "api") return turn?.then(() => free) ?? free;
      const take = (): Ticket | Promise<Ticket> => {
        const share = inFlight.take(network);
        return share instanceof Promise
          ? share.then((taken) => new HeldPlace(inFlight, network, taken))
          : new HeldPlace(inFlight, network, share);
      };
      return turn?.then(take) ?? take();
    },
  };
};

/** Webhooks, pages and health checks take no place, so there is none to give back. */
const free: Ticket = { without: (wait) => wait(), release: () => undefined };

class HeldPlace implements Ticket {
  readonly #line: Line;
  readonly #network: string;
  #share: Share | undefined;

  constructor(line: Line, network: string, share: Share) {
    this.#line = line;
    this.#network = network;
    this.#share = share;
  }

  async without<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.release();
    const result = await wait();
    this.#share = await this.#line.take(this.#network);
    return result;
  }

  release(): void {
    this.#share?.release();
    this.#share = undefined;
  }
}

/** Why a request is refused: too many are in flight, or the process is late. */
type RefusalReason = "in_flight" | "event_loop_delay";

/** What can be refused. Health checks and pages never are. */
type RefusedKind = "api" | "webhook";

/** Refuses requests while the event loop is too late to answer anybody in time. */
interface Overload {
  /** @throws AppError `overloaded` while the process is too late for such a request. */
  check(kind: RefusedKind): void;
  /** Makes and counts a refusal. */
  refusal(kind: RefusedKind, reason: RefusalReason): AppError;
}

const details: Readonly<Record<RefusalReason, string>> = {
  in_flight: "Too many requests are being answered at the moment; send it again in a second.",
  event_loop_delay: "The server cannot keep up at the moment; send it again in a second.",
};

/**
 * Webhooks are refused at this many times the delay at which the API is. Their senders do not try
 * again as soon as a person does.
 */
const webhookPatience = 4;

/** One line of the log stands for all refusals within this time. */
const reportEveryMs = 10_000;

/** What can be refused, and why. */
const refusals: readonly (readonly [RefusedKind, RefusalReason])[] = [
  ["api", "in_flight"],
  ["api", "event_loop_delay"],
  ["webhook", "event_loop_delay"],
];

const createOverload = ({
  maxEventLoopDelayMs,
  eventLoopDelayMs,
  telemetry,
}: Pick<HttpSettings, "maxEventLoopDelayMs" | "eventLoopDelayMs" | "telemetry">): Overload => {
  /** Once late, it stays so until the delay is less than half of the limit, and does not flip back and forth. */
  const latch = (kind: RefusedKind, limitMs: number) => {
    let isLate = false;
    return (): boolean => {
      const delayMs = eventLoopDelayMs();
      const next = delayMs >= (isLate ? limitMs / 2 : limitMs);
      if (next !== isLate) {
        const facts = { requests: kind, event_loop_delay_ms: Math.round(delayMs) };
        telemetry.log("warn", next ? "overloaded: requests are refused" : "no longer overloaded", facts);
      }
      isLate = next;
      return isLate;
    };
  };
  const isLate = {
    api: latch("api", maxEventLoopDelayMs),
    webhook: latch("webhook", maxEventLoopDelayMs * webhookPatience),
  };

  for (const [requests, reason] of refusals) telemetry.count("http_requests_refused_total", { requests, reason }, 0);
  let refused = 0;
  const report = (): void => {
    telemetry.log("warn", "requests refused because of overload", { refused, seconds: reportEveryMs / 1000 });
    refused = 0;
  };

  const refusal = (requests: RefusedKind, reason: RefusalReason): AppError => {
    telemetry.count("http_requests_refused_total", { requests, reason });
    if (refused === 0) {
      const timer = setTimeout(report, reportEveryMs);
      if (typeof timer === "object") timer.unref();
    }
    refused += 1;
    return new AppError("overloaded", { detail: details[reason], headers: { "retry-after": "1" } });
  };

  return {
    check: (kind) => {
      if (isLate[kind]()) throw refusal(kind, "event_loop_delay");
    },
    refusal,
  };
};
