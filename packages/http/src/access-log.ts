import type { Exchange } from "./exchange.ts";
import type { HttpSettings } from "./options.ts";

/** Stands for the status of a request whose caller went away; never sent. */
const callerGoneStatus = 499;

/** What the log says of an answer; `undefined` when the caller went away before there was one. */
export type Logged = { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;

/**
 * Writes one line and one measurement for a request. They hold the template of the path, never the
 * path, and nothing of query, headers or bodies. The operation may add fields of its own. `bytes`
 * is the length of the answer's body.
 */
export const logAccess = (
  { telemetry }: HttpSettings,
  exchange: Pick<Exchange, "id" | "address" | "route" | "version" | "startedMs" | "logged" | "noted" | "quiet"> & {
    readonly method: string;
  },
  answer: Logged,
): void => {
  const ms = Math.round((performance.now() - exchange.startedMs) * 10) / 10;
  const { method, route } = exchange;
  const status = answer?.status ?? callerGoneStatus;
  const fields = {
    request_id: exchange.id,
    address: exchange.address,
    method,
    route,
    version: exchange.version?.id,
    status,
    ms,
    bytes: Number(answer?.headers["content-length"] ?? 0),
  };
  if (exchange.noted !== undefined) Object.assign(fields, exchange.noted);
  if (exchange.logged !== undefined) Object.assign(fields, exchange.logged);
  if (!exchange.quiet) telemetry.log(route.startsWith("/health") ? "debug" : "info", "request", fields);
  telemetry.observe("http_request_ms", ms, { method, route, status: String(status) });
};
