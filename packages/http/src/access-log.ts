import type { Exchange } from "./exchange.ts";
import type { HttpSettings } from "./options.ts";

/** The status in the log if the caller went away. It is never sent. */
const callerGoneStatus = 499;

/**
 * Statuses that are refusals even where a rate limit has counted the request: no valid credential,
 * too slow, too many requests, a head that is too large, caller gone, no room.
 */
const refusals: ReadonlySet<number> = new Set([401, 408, 429, 431, callerGoneStatus, 503]);

/** A request that is refused or leads nowhere costs its caller little, so an address gets few lines for them. */
const priceOfRefusal = 1;
/** A preflight, the index, the published keys: answered, but nothing bounds how many an address may send. */
const priceOfUncounted = 0.1;

/** What the line of a request costs its address; 0 where a rate limit has counted the request. */
export const linePrice = (exchange: Partial<Exchange>, answer: Logged): number => {
  const { route, request, isCounted } = exchange;
  const status = answer?.status ?? callerGoneStatus;
  if (request === undefined || route === "unmatched" || refusals.has(status)) return priceOfRefusal;
  if (isCounted === true) return 0;
  if (status >= 400 && status < 500) return priceOfRefusal;
  return status < 400 && route?.startsWith("/health") !== true ? priceOfUncounted : 0;
};

/**
 * The facts about an answer that the log contains; `undefined` if the caller went away before there
 * was an answer.
 */
export type Logged = { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;

/**
 * Writes one line and one measurement for a request. They hold the template of the path, never the
 * path, and nothing of query, headers or bodies. The operation may add fields of its own. `bytes`
 * is the length of the answer's body. With `isQuiet` there is no line, because one a minute stands for
 * all such requests.
 */
export const logAccess = (
  { telemetry }: HttpSettings,
  exchange: Pick<Exchange, "id" | "address" | "startedMs"> & Partial<Exchange>,
  answer: Logged,
  isQuiet: boolean,
): void => {
  const ms = Math.round((performance.now() - exchange.startedMs) * 10) / 10;
  const { route = "unmatched" } = exchange;
  const method = exchange.request?.method ?? "";
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
  if (!isQuiet) telemetry.log(route.startsWith("/health") ? "debug" : "info", "request", fields);
  telemetry.observe("http_request_ms", ms, { method, route, status: String(status) });
};
