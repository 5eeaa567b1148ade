import { AppError } from "@postern/core";
import type { HttpSettings } from "../options.ts";

/** Why a request is refused: too many are in flight, or the process is late. */
type RefusalReason = "in_flight" | "event_loop_delay";

/** What can be refused. Health checks and pages never are. */
type RefusedKind = "api" | "webhook";

/** Refuses requests while the event loop is too late to answer anybody in time. */
export interface Overload {
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

export const createOverload = ({
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
