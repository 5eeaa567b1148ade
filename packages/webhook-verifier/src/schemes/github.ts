import { contentReader, payloadField } from "../content.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const github: Scheme = definePlainScheme({
  name: "github",
  title: "GitHub",
  headers: [
    "x-github-hook-id",
    "x-github-hook-installation-target-id",
    "x-github-hook-installation-target-type",
    "x-github-enterprise-host",
    "x-github-enterprise-version",
  ],
  credentials: ["header:x-hub-signature"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Hub-Signature-256", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "header:x-github-delivery",
  type: ["header:x-github-event", "body:action"],
  promises: { id: "promised", type: "promised" },
  repeats: [unsignedId()],
  // The webhook's content type is its owner's choice: JSON, or a form with the JSON in its field
  // `payload`.
  parse: contentReader(payloadField(() => undefined)),
  maxBodyBytes: 25 * 1024 * 1024,
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook (repository or organisation settings, Webhooks).",
  confidence: "confirmed",
  source: "https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries",
  promises: { source: "https://docs.github.com/en/webhooks/webhook-events-and-payloads" },
  repeats: {
    source: "https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks",
    note: "GitHub tries once. A redelivery, which somebody asks for, has the same id: it runs if the first was not accepted.",
  },
  notes: [
    "A `ping` event comes when the webhook is made, and is delivered like any other.",
    "The older SHA-1 header is not read.",
  ],
};
