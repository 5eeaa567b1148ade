import { bodyJwtScheme } from "../body-jwt-scheme.ts";
import { jsonText } from "../json.ts";
import { asText, at } from "../places.ts";
import type { Scheme } from "../scheme.ts";

/**
 * Wix apps: the body is a JWT (RS256) whose claim `data` is the event as JSON text. Known from other
 * libraries and guides; the sender's own documentation could not be read.
 */
export const wix: Scheme = bodyJwtScheme({
  name: "wix",
  facts: {
    title: "Wix",
    keyFrom: "Wix app dashboard, Develop, Webhooks, Get Public Key (PEM).",
    confidence: "second-hand",
    source:
      "https://dev.wix.com/docs/build-apps/develop-your-app/api-integrations/events-and-webhooks/handle-events-with-webhooks",
    notes: ["The event's own `data` is JSON text once more: parse it."],
  },
  type: "body:eventType",
  payload: (claims) => jsonText(asText(at(claims, "data")) ?? ""),
  claims: (event) => ({ data: JSON.stringify(event) }),
});
