import type { Exchange } from "../exchange.ts";
import type { Answer } from "../http-app.ts";
import type { HttpAnswer, HttpRequest } from "../http-request.ts";
import type { HttpSettings } from "../options.ts";

/** What is known about the request of an answer. `request` is absent if Node found it malformed. */
export type RenderedFor = Pick<Exchange, "id" | "version" | "closes"> & Partial<Pick<Exchange, "request">>;

/** An answer that has not been sent yet, so its headers may still change. */
export interface RenderedAnswer extends HttpAnswer {
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** One year. Subdomains are not included, because they may be other servers. */
const strictTransport = "max-age=31536000";

const encoder = new TextEncoder();

/** Statuses without a body and without a length. */
const bodiless = new Set([204, 304]);

/**
 * Gives an answer its text and its headers; headers that the handler set stay as they are. The
 * added headers tell browsers only to read the answer: not to guess its type, run it, frame it, or
 * tell other sites where it came from. `length` is that of its text in UTF-8, if it is known.
 * @throws TypeError for a body that is not JSON.
 */
export const render = (
  settings: HttpSettings,
  server: { readonly draining: boolean; readonly strictTransport: boolean },
  exchange: RenderedFor,
  answer: Answer,
  length?: number,
): RenderedAnswer => {
  const { status, text, body: value } = answer;
  let body: string | undefined;
  if (!bodiless.has(status)) body = text ?? (value === undefined ? "" : JSON.stringify(value));
  // Do not spread here: the object would be fifty times as slow to build.
  const headers: Record<string, string> = Object.assign(
    {
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-request-id": exchange.id,
    },
    answer.headers,
  );
  if (exchange.version !== undefined) headers["api-version"] = exchange.version.id;
  if (settings.corsOrigins.size > 0) {
    headers.vary = headers.vary === undefined ? "Origin" : `${headers.vary}, Origin`;
    Object.assign(headers, corsHeaders(settings, exchange.request, headers.allow));
  }
  if (answer.stream !== undefined) body = undefined;
  if (body !== undefined) {
    if (body !== "")
      headers["content-type"] ??= `${text === undefined ? "application/json" : "text/plain"}; charset=utf-8`;
    headers["content-length"] = String(
      // Node counts without encoding.
      length ?? (typeof Buffer === "undefined" ? encoder.encode(body).length : Buffer.byteLength(body)),
    );
  }
  // Tell a caller that is refused for the moment when to try again.
  if (status === 503) headers["retry-after"] ??= "1";
  if (server.strictTransport) headers["strict-transport-security"] = strictTransport;
  // The rest of a body that came too slowly is not worth waiting for.
  if (server.draining || exchange.closes || status === 408) headers.connection = "close";
  return answer.stream === undefined ? { status, headers, body } : { status, headers, body, stream: answer.stream };
};

/** The last three are those that pages with tracing add (W3C Trace Context, W3C Baggage). */
const allowedHeaders =
  "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id, traceparent, tracestate, baggage";

const exposedHeaders =
  "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, API-Version, X-Request-Id, Idempotency-Replayed, WWW-Authenticate, X-Total-Count, Preference-Applied, Content-Location, Allow, Accept-Patch";

/**
 * The headers that let a page of a listed origin read this answer; none for any other origin.
 * Credentials travel in `Authorization`, which pages set themselves, so cookies are never allowed.
 */
const corsHeaders = (
  { corsOrigins, corsHeaders: furtherHeaders }: HttpSettings,
  request: HttpRequest | undefined,
  allow: string | undefined,
): Readonly<Record<string, string>> => {
  const origin = request?.headers.origin;
  if (request === undefined || typeof origin !== "string" || !isListed(corsOrigins, origin)) return {};
  const preflight = request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
  return preflight && allow !== undefined
    ? {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": allow,
        "access-control-allow-headers": [allowedHeaders, ...furtherHeaders].join(", "),
        "access-control-max-age": "600",
      }
    : { "access-control-allow-origin": origin, "access-control-expose-headers": exposedHeaders };
};

/** Whether an origin is listed, or is one whose first label a listed one leaves open. */
const isListed = (origins: ReadonlySet<string>, origin: string): boolean =>
  origins.has(origin) || origins.has(origin.replace(/^(https?:\/\/)[a-z0-9-]+\./, "$1*."));
