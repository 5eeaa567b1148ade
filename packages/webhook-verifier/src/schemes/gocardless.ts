import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const gocardless: Scheme = definePlainScheme({
  name: "gocardless",
  title: "GoCardless",
  promises: { id: "promised", type: "usual" },
  key: textSecret("hmac-sha256"),
  signature: { header: "Webhook-Signature", encoding: hex },
  signed: "{body}",
  id: "body:meta.webhook_id",
  repeats: [signedId],
  items: itemsAt("events", { id: "id", type: ["resource_type", "action"] }),
});

export const facts: SchemeFacts = {
  keyFrom: "GoCardless dashboard, Developers, the webhook endpoint's secret.",
  confidence: "confirmed",
  source: "https://github.com/gocardless/gocardless-nodejs/blob/master/src/webhooks.ts",
  repeats: {
    source: "https://developer.gocardless.com/getting-started/staying-up-to-date-with-webhooks",
    confidence: "second-hand",
    note: "Each event has an id as well.",
  },
  notes: ["GoCardless wants 498 for a wrong signature; every status but 2xx counts as a failure."],
};
