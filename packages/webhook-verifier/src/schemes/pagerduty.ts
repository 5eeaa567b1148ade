import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const pagerduty: Scheme = definePairsScheme({
  name: "pagerduty",
  title: "PagerDuty",
  headers: ["x-webhook-id", "x-webhook-subscription"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-PagerDuty-Signature", encoding: hex, pairs: { separator: ",", signature: "v1" } },
  signed: "{body}",
  id: "body:event.id",
  type: "body:event.event_type",
  promises: { id: "promised", type: "promised" },
  data: "event.data",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret shown once in the answer that made the webhook subscription.",
  confidence: "confirmed",
  source: "https://github.com/PagerDuty/developer-docs/blob/main/docs/webhooks/04-Signatures.md",
  repeats: {
    source: "https://github.com/PagerDuty/developer-docs/blob/main/docs/webhooks/02-Behavior.md",
    note: "`X-Webhook-Id` says the same for each subscription, and is not signed.",
  },
};
