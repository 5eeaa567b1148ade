import { bodyJwtScheme } from "../body-jwt-scheme.ts";
import { jsonText } from "../json.ts";
import { asText, at } from "../places.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Wix apps get a JWT (RS256) as the body. Its claim `data` is the event as JSON text. A time is
 * checked only if the token has `exp`, `nbf` or `iat`. This is known from other libraries and
 * guides; the sender's own documentation could not be read.
 * @see https://dev.wix.com/docs/build-apps/develop-your-app/api-integrations/events-and-webhooks/handle-events-with-webhooks
 */
export const wix: Scheme = bodyJwtScheme({
  name: "wix",
  title: "Wix",
  type: "body:eventType",
  payload: (claims) => jsonText(asText(at(claims, "data")) ?? ""),
  claims: (event) => ({ data: JSON.stringify(event) }),
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: [],
  signed: "the body, which is a JWT",
  encoding: "JWT (RS256)",
  keyFrom: "Wix app dashboard, Develop, Webhooks, Get Public Key (PEM).",
  confidence: "second-hand",
  source:
    "https://dev.wix.com/docs/build-apps/develop-your-app/api-integrations/events-and-webhooks/handle-events-with-webhooks",
  notes: ["The event's own `data` is JSON text once more: parse it."],
};
