import { jsonAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
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
  items: itemsAt("data.events", { id: "uuid", type: "eventType" }),
  handshakes: [{ by: "GET", type: "application/json" }],
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
