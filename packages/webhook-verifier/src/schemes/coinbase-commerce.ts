import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const coinbaseCommerce: Scheme = definePlainScheme({
  name: "coinbase-commerce",
  title: "Coinbase Commerce",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-CC-Webhook-Signature", encoding: hex },
  signed: "{body}",
  id: "body:event.id",
  type: "body:event.type",
  promises: { id: "promised", type: "promised" },
  data: "event.data",
  metadata: { deliveryId: "body:id", attempt: "body:attempt_number", apiVersion: "body:event.api_version" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Commerce settings, Notifications, Show shared secret.",
  confidence: "confirmed",
  source: "https://docs.cdp.coinbase.com/commerce/webhooks/webhooks-security",
  repeats: {
    source: "https://docs.cdp.coinbase.com/commerce/webhooks/webhooks-fields",
    confidence: "second-hand",
    note: "The body's own `id` and `attempt_number` are the delivery's.",
  },
};
