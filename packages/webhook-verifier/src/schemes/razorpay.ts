import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Razorpay: `X-Razorpay-Signature: <hex>`, HMAC-SHA256 over the body. The event id stands in a
 * header the signature does not cover.
 */
export const razorpay: Scheme = definePlainScheme({
  name: "razorpay",
  title: "Razorpay",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Razorpay-Signature", encoding: hex },
  signed: "{body}",
  id: "header:x-razorpay-event-id",
  type: "body:event",
  data: "payload",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret you set on the webhook (Dashboard, Account & Settings, Webhooks).",
  confidence: "confirmed",
  source: "https://www.npmjs.com/package/razorpay (validateWebhookSignature)",
};
