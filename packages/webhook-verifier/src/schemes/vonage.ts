import { readContent } from "../content.ts";
import { jwtScheme } from "../jwt-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { sameMessage } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const vonage: Scheme = jwtScheme({
  name: "vonage",
  title: "Vonage",
  parse: readContent,
  json: "usual",
  methods: ["GET"],
  key: textSecret("hmac-sha256"),
  header: "Authorization",
  bearer: true,
  alg: "HS256",
  time: { claim: "iat", toleranceSeconds: 300 },
  bodyHash: { claim: "payload_hash", encoding: "hex" },
  type: "body:status",
  promises: { id: "absent", type: "usual" },
  repeats: [
    { by: "signed-id", id: ["body:message_uuid|uuid|messageId", "body:timestamp|message-timestamp", "body:status"] },
    { by: "signed-id", id: ["body:message_uuid|uuid|messageId", "body:timestamp|message-timestamp"] },
    sameMessage(),
  ],
});

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT with `payload_hash` of the body",
  encoding: "JWT (HS256)",
  keyFrom: "Vonage dashboard, API settings, the signature secret.",
  confidence: "second-hand",
  source: "https://developer.vonage.com/en/getting-started/concepts/webhooks#validating-signed-webhooks",
  promises: {
    source: "https://developer.vonage.com/messaging/sms/guides/inbound-sms",
    note: "Inbound messages and answered calls have no `status`.",
  },
  repeats: {
    source: "https://developer.vonage.com/en/getting-started/concepts/webhooks",
    confidence: "second-hand",
    note: "Vonage tries again for a day. Requests with GET have no body: only the same token is a repeat.",
  },
  notes: [
    "Vonage names no window; five minutes is ours.",
    "A message id is no event id: every status of a message carries the same one.",
    "Webhooks that Vonage sends with GET have no body and are covered by nothing but the token.",
  ],
};
