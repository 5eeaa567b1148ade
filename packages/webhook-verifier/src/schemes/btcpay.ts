import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/** BTCPay Server: `BTCPay-Sig: sha256=<hex>`, HMAC-SHA256 over the body. */
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
