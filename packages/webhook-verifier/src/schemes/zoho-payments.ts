import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { parseLongIds } from "../long-ids.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const zohoPayments: Scheme = definePairsScheme({
  name: "zoho-payments",
  title: "Zoho Payments",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "X-Zoho-Webhook-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v" },
  },
  signed: "{timestamp}.{body}",
  timestamp: { unit: "ms", toleranceSeconds: 300 },
  id: "body:event_id",
  type: "body:event_type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  data: "event_object",
  parse: parseLongIds("event_id"),
});

export const facts: SchemeFacts = {
  keyFrom: "Zoho Payments, Settings, Developer Space, Webhooks, the webhook's signing key.",
  confidence: "confirmed",
  source: "https://www.zoho.com/in/payments/developerdocs/webhooks/verification/",
  repeats: { source: "https://www.zoho.com/in/payments/developerdocs/webhooks/best-practices/" },
  notes: [
    "Zoho names no window; five minutes is ours.",
    "An `event_id` of 16 digits or more is a text in the payload.",
  ],
};
