import type { Exchange } from "./exchange.ts";
import type { HttpSettings } from "./options.ts";

/** The status in the log if the caller went away. It is never sent. */
const callerGoneStatus = 499;

/**
 * Statuses that are refusals even where a rate limit has counted the request: no valid credential,
 * too slow, too many requests, a head that is too large, caller gone, no room.
 */
const refusals: ReadonlySet<number> = new Set([401, 408, 429, 431, callerGoneStatus, 503]);

/**
 * Whether a request was refused or led nowhere. Such requests cost their caller little, so an
 * address gets few lines for them; see `maxRefusalLinesPerMinute`.
 */
export const isRefusal = ({ route, request, isCounted }: Partial<Exchange>, answer: Logged): boolean =>
  request === undefined ||
  route === "unmatched" ||
  refusals.has(answer?.status ?? callerGoneStatus) ||
  (isCounted !== true && isFault(answer));

const isFault = (answer: Logged): boolean => answer !== undefined && answer.status >= 400 && answer.status < 500;

/**
 * Whether a request counts against its address as one that was denied: for want of a valid
 * credential, or as one too many. One too many of a user counts for the user. Others may share the
 * address.
 */
export const isDenial = ({ noted }: Partial<Exchange>, answer: Logged): boolean =>
  answer?.status === 401 || (answer?.status === 429 && noted?.user === undefined);

/**
 * Whether a request was answered although nothing bounds how many of its kind an address may send:
 * a preflight, the index, the published keys; see `maxUncountedLinesPerMinute`.
 */
export const isUncounted = ({ route, isCounted }: Partial<Exchange>, answer: Logged): boolean =>
  isCounted !== true && answer !== undefined && answer.status < 400 && route?.startsWith("/health") !== true;

/**
 * The facts about an answer that the log contains; `undefined` if the caller went away before there
 * was an answer.
 */
export type Logged = { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;

/**
 * Writes one line and one measurement for a request. They hold the template of the path, never the
 * path, and nothing of query, headers or bodies. The operation may add fields of its own. `bytes`
 * is the length of the answer's body.
 */
export const logAccess = (
  { telemetry }: HttpSettings,
  exchange: Pick<Exchange, "id" | "address" | "startedMs"> & Partial<Exchange>,
  answer: Logged,
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
  if (exchange.quiet !== true) telemetry.log(route.startsWith("/health") ? "debug" : "info", "request", fields);
  telemetry.observe("http_request_ms", ms, { method, route, status: String(status) });
};
