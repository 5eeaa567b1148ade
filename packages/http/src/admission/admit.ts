import { AppError } from "@postern/core";
import type { Exchange } from "../exchange.ts";
import type { HttpSettings } from "../options.ts";
import { turns } from "./turns.ts";

/** What can be refused. Health checks and pages never are. */
type RefusedKind = "api" | "webhook";

/**
 * Webhooks are refused at this many times the delay at which the API is. Their senders do not try
 * again as soon as a person does.
 */
const patience: Readonly<Record<RefusedKind, number>> = { api: 1, webhook: 4 };

/** One line of the log stands for all refusals within this time. */
const reportEveryMs = 10_000;

/** The only decision on whether, and when, a request begins. */
export const createAdmission = (settings: HttpSettings) => {
  const { maxEventLoopDelayMs, eventLoopDelayMs, telemetry } = settings;
  const reason = "event_loop_delay";
  for (const requests of ["api", "webhook"]) {
    telemetry.count("http_requests_refused_total", { requests, reason }, 0);
  }
  let refused = 0;
  const report = (): void => {
    telemetry.log("warn", "requests refused because of overload", { refused, seconds: reportEveryMs / 1000 });
    refused = 0;
  };
  const refusal = (requests: RefusedKind): AppError => {
    telemetry.count("http_requests_refused_total", { requests, reason });
    if (refused === 0) {
      const timer = setTimeout(report, reportEveryMs);
      if (typeof timer === "object") timer.unref();
    }
    refused += 1;
    return new AppError("overloaded", {
      detail: "The server cannot keep up at the moment; send it again in a second.",
      headers: { "retry-after": "1" },
    });
  };
  return {
    /**
     * A process that is too late refuses; else the request waits for its turn of the event loop. A second
     * call does nothing. `undefined` if the request need not wait.
     * @throws AppError `overloaded`, before anything else is done for the request.
     */
    admit: (exchange: Exchange): Promise<void> | undefined => {
      const { network, kind, isAdmitted } = exchange;
      if (isAdmitted) return undefined;
      if ((kind === "api" || kind === "webhook") && eventLoopDelayMs() >= maxEventLoopDelayMs * patience[kind]) {
        throw refusal(kind);
      }
      exchange.isAdmitted = true;
      return kind === "health" ? turns.beginHealthCheck(network) : turns.begin(network);
    },
  };
};
