import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/** Coinify: `X-Coinify-Webhook-Signature: <hex>`, HMAC-SHA256 over the body. */
export const coinify: Scheme = defineScheme({
  name: "coinify",
  facts: {
    title: "Coinify",
    keyFrom: "The shared secret of the webhook.",
    confidence: "confirmed",
    source: "https://coinify.readme.io/docs/webhook-signature",
  },
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Coinify-Webhook-Signature", encoding: hex },
  signed: "{body}",
  id: "body:id",
  type: "body:event",
});
