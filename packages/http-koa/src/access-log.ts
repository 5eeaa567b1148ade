import type { Exchange } from "./exchange.ts";
import type { HttpSettings } from "./options.ts";

/** What stands for the status of a request whose caller went away; never sent. */
export const callerGoneStatus = 499;

/**
 * One line and one measurement for a request. They hold the template of the path, never the path, and nothing of query, headers or bodies, but what the
 * operation itself says of its answer. `bytes` is the length of the answer's body.
 */
export const logAccess = (
  { telemetry }: HttpSettings,
  exchange: Pick<Exchange, "id" | "method" | "route" | "version" | "startedMs" | "logged">,
  answer: { readonly status: number; readonly bytes: number },
): void => {
  const ms = Math.round((performance.now() - exchange.startedMs) * 10) / 10;
  const { method, route } = exchange;
  const fields = {
    request_id: exchange.id,
    method,
    route,
    version: exchange.version?.id,
    status: answer.status,
    ms,
    bytes: answer.bytes,
  };
  telemetry.log(
    route.startsWith("/health") ? "debug" : "info",
    "request",
    exchange.logged === undefined ? fields : Object.assign(fields, exchange.logged),
  );
  telemetry.observe("http_request_ms", ms, { method, route, status: String(answer.status) });
};
