import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Linear: `Linear-Signature: <hex>`, HMAC-SHA256 over the body. The time is the body's
 * `webhookTimestamp`; the header that repeats it is not covered.
 */
export const linear: Scheme = definePlainScheme({
  name: "linear",
  title: "Linear",
  key: textSecret("hmac-sha256"),
  signature: { header: "Linear-Signature", encoding: hex },
  signed: "{body}",
  timestamp: { body: "webhookTimestamp", unit: "ms", toleranceSeconds: 60 },
  id: "header:linear-delivery",
  type: ["body:type", "body:action"],
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "Linear, Settings, API, Webhooks, the webhook, Signing secret.",
  confidence: "confirmed",
  source: "https://linear.app/developers/webhooks",
};
