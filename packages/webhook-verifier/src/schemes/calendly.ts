import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const calendly: Scheme = definePairsScheme({
  name: "calendly",
  title: "Calendly",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "Calendly-Webhook-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  timestamp: { unit: "s", toleranceSeconds: 180 },
  signed: "{timestamp}.{body}",
  type: "body:event",
  promises: { id: "absent", type: "promised" },
  data: "payload",
  repeats: [sameBody(25 * hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "The `signing_key` of the webhook subscription; OAuth apps are given one when they are made.",
  confidence: "confirmed",
  source: "https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures",
  repeats: {
    source: "https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures",
    confidence: "second-hand",
    note: "`created_at` is the event's time. Calendly tries again for a day, signed anew.",
  },
};
