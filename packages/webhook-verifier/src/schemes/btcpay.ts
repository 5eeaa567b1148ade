import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const btcpay: Scheme = definePlainScheme({
  name: "btcpay",
  title: "BTCPay Server",
  key: textSecret("hmac-sha256"),
  signature: { header: "BTCPay-Sig", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "body:originalDeliveryId|deliveryId",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  metadata: { deliveryId: "body:deliveryId" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Store settings, Webhooks, the webhook's secret.",
  confidence: "confirmed",
  source: "https://github.com/btcpayserver/btcpayserver/blob/master/BTCPayServer/Plugins/Webhooks/WebhookSender.cs",
  repeats: {
    source: "https://github.com/btcpayserver/btcpayserver/blob/master/BTCPayServer/Plugins/Webhooks/WebhookSender.cs",
    note: "`originalDeliveryId` stays for every redelivery, also for those that somebody asks for.",
  },
};
