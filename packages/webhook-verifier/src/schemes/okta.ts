import { jsonAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { plainText } from "../plain-text.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const okta: Scheme = definePlainScheme({
  name: "okta",
  title: "Okta event hooks",
  key: textSecret("token"),
  signature: { header: "Authorization", encoding: plainText },
  signed: "{body}",
  id: "body:eventId",
  type: "body:eventType",
  promises: { id: "promised", type: "promised" },
  data: "data",
  repeats: [unsignedId()],
  covered: ["sender"],
  items: (payload) => {
    const events = at(payload, "data.events");
    if (!Array.isArray(events)) return undefined;
    return events.map((event: unknown) => ({
      id: asText(at(event, "uuid")),
      type: asText(at(event, "eventType")),
      payload: event,
    }));
  },
  handshake: ({ method, headers }) => {
    const verification = method === "GET" ? findHeader(headers, "x-okta-verification-challenge") : undefined;
    return verification === undefined ? undefined : jsonAnswer({ verification });
  },
});

export const facts: SchemeFacts = {
  keyFrom: "The authentication secret you set on the event hook (Workflow, Event Hooks).",
  confidence: "confirmed",
  source: "https://developer.okta.com/docs/reference/hooks-best-practices/",
  handshake: "GET with `X-Okta-Verification-Challenge`: JSON `verification`",
  repeats: {
    source: "https://developer.okta.com/docs/concepts/event-hooks/",
    note: "Each event has a `uuid` as well.",
  },
};
