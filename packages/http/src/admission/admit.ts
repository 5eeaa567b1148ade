import { AppError } from "@postern/core";
import { createLine } from "@postern/core/internal";
import type { Exchange } from "../exchange.ts";
import type { HttpSettings } from "../options.ts";
import { clock, turns } from "./turns.ts";

type RefusalReason = "in_flight" | "event_loop_delay";

/** What can be refused. Health checks and pages never are. */
type RefusedKind = "api" | "webhook";

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

const refusals: readonly (readonly [RefusedKind, RefusalReason])[] = [
  ["api", "in_flight"],
  ["api", "event_loop_delay"],
  ["webhook", "event_loop_delay"],
];

/** As many as there are connections could wait. */
const mostWaiting = 10_000;

/** The only decision on whether, and when, a request runs. */
export const createAdmission = (settings: HttpSettings) => {
  const { maxInFlight, placeWaitMs: waitMs, maxEventLoopDelayMs, eventLoopDelayMs, telemetry } = settings;

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

  const isLate = { api: false, webhook: false };
  /** Once late, it stays so until the delay is less than half of the limit, and does not flip back and forth. */
  const refuseIfLate = (kind: RefusedKind): void => {
    const limitMs = kind === "api" ? maxEventLoopDelayMs : maxEventLoopDelayMs * webhookPatience;
    const delayMs = eventLoopDelayMs();
    const next = delayMs >= (isLate[kind] ? limitMs / 2 : limitMs);
    if (next !== isLate[kind]) {
      const facts = { requests: kind, event_loop_delay_ms: Math.round(delayMs) };
      telemetry.log("warn", next ? "overloaded: requests are refused" : "no longer overloaded", facts);
    }
    isLate[kind] = next;
    if (next) throw refusal(kind, "event_loop_delay");
  };

  const inFlight = createLine(
    {
      most: maxInFlight,
      mostOfKey: Math.ceil(maxInFlight / 2),
      waiting: waitMs === 0 ? 0 : mostWaiting,
      waitMs,
      refusal: () => refusal("api", "in_flight"),
    },
    clock,
  );
  /** What follows once its turn of the event loop has come. */
  const takePlace = (exchange: Exchange): Promise<void> | undefined => {
    const share = exchange.kind === "api" ? inFlight.take(exchange.network) : undefined;
    if (share instanceof Promise) {
      return share.then((taken) => {
        exchange.share = taken;
        exchange.isAdmitted = true;
      });
    }
    exchange.share = share;
    exchange.isAdmitted = true;
    return undefined;
  };

  return {
    /**
     * In this order: an overloaded process refuses, then the request waits for its turn of the event
     * loop, then a request of the API for a place among those in flight. Only the last holds anything,
     * so requests never wait for each other without end. A second call does nothing. `undefined` if
     * the request need not wait.
     * @throws AppError `overloaded`, at once or from the promise, before anything else is done for the
     *   request.
     */
    admit: (exchange: Exchange): Promise<void> | undefined => {
      const { network, kind, isAdmitted } = exchange;
      if (isAdmitted) return undefined;
      if (kind === "api" || kind === "webhook") refuseIfLate(kind);
      const turn = kind === "health" ? turns.beginHealthCheck(network) : turns.begin(network);
      return turn === undefined ? takePlace(exchange) : turn.then(() => takePlace(exchange));
    },
    /**
     * Waits for something, such as a body, without a place among the requests in flight.
     * @throws AppError `overloaded` if there is no place afterwards, and none in time.
     */
    withoutPlace: async <Result>(exchange: Exchange, wait: () => Promise<Result>): Promise<Result> => {
      if (exchange.share === undefined) return wait();
      exchange.share.release();
      exchange.share = undefined;
      const result = await wait();
      exchange.share = await inFlight.take(exchange.network);
      return result;
    },
  };
};
