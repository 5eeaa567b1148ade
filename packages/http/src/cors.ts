import type { HttpRequest } from "./http-request.ts";
import type { HttpSettings } from "./options.ts";

const allowedHeaders = "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id";

const exposedHeaders =
  "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, API-Version, X-Request-Id, Idempotency-Replayed, WWW-Authenticate";

/**
 * The headers that let a page of a listed origin read this answer; none for any other origin.
 * Credentials travel in `Authorization`, which pages set themselves, so cookies are never allowed.
 */
export const corsHeaders = (
  { corsOrigins }: HttpSettings,
  request: HttpRequest | undefined,
  allow: string | undefined,
): Readonly<Record<string, string>> => {
  const origin = request?.headers.origin;
  if (request === undefined || typeof origin !== "string" || !corsOrigins.has(origin)) return {};
  const preflight = request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
  return preflight && allow !== undefined
    ? {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": allow,
        "access-control-allow-headers": allowedHeaders,
        "access-control-max-age": "600",
      }
    : { "access-control-allow-origin": origin, "access-control-expose-headers": exposedHeaders };
};
