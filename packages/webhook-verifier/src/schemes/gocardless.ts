import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
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
  items: (payload) => {
    const events = at(payload, "events");
    if (!Array.isArray(events)) return undefined;
    return events.map((event: unknown) => ({
      id: asText(at(event, "id")),
      type:
        [at(event, "resource_type"), at(event, "action")].flatMap((part) => asText(part) ?? []).join(".") || undefined,
      payload: event,
    }));
  },
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
