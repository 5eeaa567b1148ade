import { bodyJwtScheme } from "../body-jwt-scheme.ts";
import { jsonText } from "../json.ts";
import { asText, at } from "../places.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const eventOf = (claims: unknown): unknown => jsonText(asText(at(claims, "data")) ?? "");

export const wix: Scheme = bodyJwtScheme({
  name: "wix",
  title: "Wix",
  type: "body:eventType",
  promises: { id: "usual", type: "promised" },
  repeats: [signedId],
  idIn: (claims) => asText(at(jsonText(asText(at(eventOf(claims), "data")) ?? ""), "id")),
  payload: eventOf,
  claims: (event) => ({ data: JSON.stringify(event) }),
});

export const facts: SchemeFacts = {
  headers: [],
  signed: "the body, which is a JWT",
  encoding: "JWT (RS256)",
  keyFrom: "Wix app dashboard, Develop, Webhooks, Get Public Key (PEM).",
  confidence: "confirmed",
  source: "https://dev.wix.com/docs/rest/articles/get-started/webhook-structure",
  promises: { note: "A few older webhooks have no id." },
  repeats: {
    source: "https://dev.wix.com/docs/rest/articles/get-started/webhook-structure",
    note: "The id stands in the event's own `data`. A few older webhooks have none.",
  },
  notes: [
    "The event's own `data` is JSON text once more: parse it.",
    "A time is checked only if the token has `exp`, `nbf` or `iat`.",
  ],
};
