import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const stripe: Scheme = definePairsScheme({
  name: "stripe",
  title: "Stripe",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "Stripe-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  timestamp: { unit: "s", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  data: "data",
  // The members of an event beside `data`, which holds `object` and `previous_attributes`.
  beside: ["account", "api_version", "context", "created", "id", "livemode", "pending_webhooks", "request", "type"],
  metadata: { apiVersion: "body:api_version" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom:
    "Dashboard, Developers, Webhooks, the endpoint's signing secret (`whsec_…`); `stripe listen` prints its own.",
  confidence: "confirmed",
  source: "https://docs.stripe.com/webhooks#verify-manually",
  promises: {
    source: "https://docs.stripe.com/event-destinations",
    note: "Thin events have an id and a type, and no `data` of their own: then the whole event is the data.",
  },
  repeats: { source: "https://docs.stripe.com/webhooks#handle-duplicate-events", confidence: "second-hand" },
  notes: ["The secret is used as text, `whsec_` included. `v0` signatures belong to test tools and are ignored."],
};
