import { networkOf } from "@postern/rest";
import type { Rate } from "./admission/rate.ts";
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

/** What the line of a request costs its address, if no rate limit has counted the request. */
const linePrice = (route: string, status: number): number => {
  if (route === "unmatched" || refusals.has(status) || (status >= 400 && status < 500)) return priceOfRefusal;
  return status < 400 && !route.startsWith("/health") ? priceOfUncounted : 0;
};

/**
 * The facts about an answer that the log contains; `undefined` if the caller went away before there
 * was an answer.
 */
export type Logged = { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;

/**
 * Returns a function that writes one line and one measurement for a request. They hold the template of
 * the path, never the path, and nothing of query, headers or bodies. The operation may add fields of
 * its own. `bytes` is the length of the answer's body. An address beyond its rate of `lines` gets no
 * line, because one a minute stands for all such requests.
 */
export const createAccessLog =
  ({ telemetry }: Pick<HttpSettings, "telemetry">, lines: Rate) =>
  (exchange: Pick<Exchange, "id" | "address" | "startedMs"> & Partial<Exchange>, answer: Logged): void => {
    const ms = Math.round((performance.now() - exchange.startedMs) * 10) / 10;
    const { address, route = "unmatched", noted, logged, isCounted = false } = exchange;
    const method = exchange.request?.method ?? "";
    const status = answer?.status ?? callerGoneStatus;
    const fields = {
      request_id: exchange.id,
      address,
      method,
      route,
      version: exchange.version?.id,
      status,
      ms,
      bytes: Number(answer?.headers["content-length"] ?? 0),
    };
    if (noted !== undefined) Object.assign(fields, noted);
    if (logged !== undefined) Object.assign(fields, logged);
    const price = isCounted && route !== "unmatched" && !refusals.has(status) ? 0 : linePrice(route, status);
    if (price === 0 || !lines.note(exchange.network ?? networkOf(address), price)) {
      telemetry.log(route.startsWith("/health") ? "debug" : "info", "request", fields);
    }
    telemetry.observe("http_request_ms", ms, { method, route, status: String(status) });
  };
