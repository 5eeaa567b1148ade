import { textOf } from "#platform";
import { emptyAnswer } from "../answers.ts";
import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const woocommerce: Scheme = definePlainScheme({
  name: "woocommerce",
  title: "WooCommerce",
  headers: ["x-wc-webhook-event", "x-wc-webhook-id", "x-wc-webhook-resource", "x-wc-webhook-source"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-WC-Webhook-Signature", encoding: base64 },
  signed: "{body}",
  id: "header:x-wc-webhook-delivery-id",
  // WooCommerce sends this, unsigned, when you save a webhook, and wants 200. It has no effect here.
  handshakes: [{ by: "POST" }],
  handshake: ({ headers, body }) =>
    findHeader(headers, "x-wc-webhook-signature") === undefined && /^webhook_id=\d+$/.test(textOf(body) ?? "")
      ? emptyAnswer(200)
      : undefined,
  type: "header:x-wc-webhook-topic",
  promises: { id: "promised", type: "promised" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret of the webhook (WooCommerce, Settings, Advanced, Webhooks).",
  confidence: "confirmed",
  source: "https://github.com/woocommerce/woocommerce/blob/trunk/plugins/woocommerce/includes/class-wc-webhook.php",
  handshake: "POST `webhook_id=…`, unsigned, when it is saved: 200",
  repeats: {
    source: "https://github.com/woocommerce/woocommerce/blob/trunk/plugins/woocommerce/includes/class-wc-webhook.php",
    confidence: "second-hand",
    note: "WooCommerce sends each delivery once.",
  },
};
