import { base64 } from "../base64.ts";
import { defineScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * WooCommerce: `X-WC-Webhook-Signature: <base64>`, HMAC-SHA256 over the body. Topic and ids stand in headers the
 * signature does not cover. Known from other libraries and guides; the sender's own documentation could not be read.
 */
export const woocommerce: Scheme = defineScheme({
  name: "woocommerce",
  facts: {
    title: "WooCommerce",
    keyFrom: "The secret of the webhook (WooCommerce, Settings, Advanced, Webhooks).",
    confidence: "second-hand",
    source: "https://woocommerce.com/document/webhooks/",
  },
  key: textSecret("hmac-sha256"),
  signature: { header: "X-WC-Webhook-Signature", encoding: base64 },
  signed: "{body}",
  id: "header:x-wc-webhook-delivery-id",
  type: "header:x-wc-webhook-topic",
});
