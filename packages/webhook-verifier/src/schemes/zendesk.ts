import { base64 } from "../base64.ts";
import { readContent } from "../content.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { sameMessage, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const zendesk: Scheme = definePlainScheme({
  name: "zendesk",
  title: "Zendesk",
  parse: readContent,
  json: "usual",
  methods: ["GET", "PUT"],
  headers: ["x-zendesk-account-id", "x-zendesk-webhook-id"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Zendesk-Webhook-Signature", encoding: base64 },
  signed: "{timestamp}{body}",
  timestamp: { header: "X-Zendesk-Webhook-Signature-Timestamp", unit: "iso", toleranceSeconds: 300 },
  id: "header:x-zendesk-webhook-invocation-id",
  type: "body:type",
  promises: { id: "usual", type: "usual" },
  repeats: [unsignedId(), sameMessage()],
});

export const facts: SchemeFacts = {
  keyFrom: "Admin Center, Apps and integrations, Webhooks, the webhook, Signing secret.",
  confidence: "confirmed",
  source: "https://developer.zendesk.com/documentation/webhooks/verifying/",
  promises: { note: "Triggers and automations send a body that the administrator writes." },
  repeats: {
    source: "https://developer.zendesk.com/documentation/webhooks/anatomy-of-a-webhook-request/",
    note: "The body's `id` is often the ticket's. An invocation keeps its id for all attempts.",
  },
  notes: [
    "Zendesk names no window; five minutes is ours. Trigger and automation webhooks have a body of your own making, often without a type.",
  ],
};
