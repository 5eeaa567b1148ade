import type { HttpSettings } from "./options.ts";
import type { RenderedFor } from "./render.ts";

const allowedHeaders = "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id";

const exposedHeaders =
  "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, API-Version, X-Request-Id, Idempotency-Replayed, WWW-Authenticate";

/**
 * What lets a page of a listed origin read this answer: nothing for any other. Credentials travel in `Authorization`, which pages set themselves, so
 * cookies are never allowed along.
 */
export const corsHeaders = (
  { corsOrigins }: HttpSettings,
  { req, method }: RenderedFor,
  allow: string | undefined,
): Readonly<Record<string, string>> => {
  const origin = req?.headers.origin;
  if (origin === undefined || !corsOrigins.has(origin)) return {};
  const preflight = method === "OPTIONS" && req?.headers["access-control-request-method"] !== undefined;
  return preflight && allow !== undefined
    ? {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": allow,
        "access-control-allow-headers": allowedHeaders,
        "access-control-max-age": "600",
      }
    : { "access-control-allow-origin": origin, "access-control-expose-headers": exposedHeaders };
};
