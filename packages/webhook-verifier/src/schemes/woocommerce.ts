import { textOf } from "#platform";
import { emptyAnswer } from "../answers.ts";
import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * WooCommerce: `X-WC-Webhook-Signature: <base64>`, HMAC-SHA256 over the body. Topic and ids stand
 * in headers the signature does not cover.
 */
export const woocommerce: Scheme = definePlainScheme({
  name: "woocommerce",
  title: "WooCommerce",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-WC-Webhook-Signature", encoding: base64 },
  signed: "{body}",
  id: "header:x-wc-webhook-delivery-id",
  // Saving a webhook sends this unsigned and wants 200; it says nothing and does nothing.
  handshake: ({ headers, body }) =>
    findHeader(headers, "x-wc-webhook-signature") === undefined && /^webhook_id=\d+$/.test(textOf(body) ?? "")
      ? emptyAnswer(200)
      : undefined,
  type: "header:x-wc-webhook-topic",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret of the webhook (WooCommerce, Settings, Advanced, Webhooks).",
  confidence: "confirmed",
  source: "https://github.com/woocommerce/woocommerce/blob/trunk/plugins/woocommerce/includes/class-wc-webhook.php",
  handshake: "POST `webhook_id=…`, unsigned, when it is saved: 200",
};
