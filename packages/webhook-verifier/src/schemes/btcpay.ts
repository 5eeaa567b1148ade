import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * BTCPay Server signs the body with HMAC-SHA256 and sends `BTCPay-Sig: sha256=<hex>`. No time is
 * signed.
 * @see https://github.com/btcpayserver/btcpayserver/blob/master/BTCPayServer/Plugins/Webhooks/WebhookSender.cs
 */
export const btcpay: Scheme = definePlainScheme({
  name: "btcpay",
  title: "BTCPay Server",
  key: textSecret("hmac-sha256"),
  signature: { header: "BTCPay-Sig", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "body:deliveryId",
  type: "body:type",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "Store settings, Webhooks, the webhook's secret.",
  confidence: "confirmed",
  source: "https://github.com/btcpayserver/btcpayserver/blob/master/BTCPayServer/Plugins/Webhooks/WebhookSender.cs",
  notes: ["A delivery that was sent again has an id of its own, and names the first in `originalDeliveryId`."],
};
