import type { HttpRequest } from "./http-request.ts";
import type { HttpSettings } from "./options.ts";

/** The last three are those that pages with tracing add (W3C Trace Context, W3C Baggage). */
const allowedHeaders =
  "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id, traceparent, tracestate, baggage";

const exposedHeaders =
  "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, API-Version, X-Request-Id, Idempotency-Replayed, WWW-Authenticate, X-Total-Count, Preference-Applied, Content-Location, Allow, Accept-Patch";

/**
 * The headers that let a page of a listed origin read this answer; none for any other origin.
 * Credentials travel in `Authorization`, which pages set themselves, so cookies are never allowed.
 */
export const corsHeaders = (
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
