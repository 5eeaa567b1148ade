import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { sameMessage } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const revolut: Scheme = definePairsScheme({
  name: "revolut",
  title: "Revolut",
  key: textSecret("hmac-sha256"),
  signature: { header: "Revolut-Signature", encoding: hex, pairs: { separator: ",", signature: "v1" } },
  signed: "v1.{timestamp}.{body}",
  timestamp: { header: "Revolut-Request-Timestamp", unit: "ms", toleranceSeconds: 300 },
  type: "body:event",
  promises: { id: "absent", type: "promised" },
  repeats: [{ by: "signed-id", id: ["body:event", "body:timestamp", "body:data.id"] }, sameMessage()],
});

export const facts: SchemeFacts = {
  keyFrom: "The signing secret `wsk_…` in the answer that made the webhook.",
  confidence: "confirmed",
  source: "https://developer.revolut.com/docs/guides/manage-accounts/webhooks/verify-the-payload-signature",
  repeats: {
    source: "https://developer.revolut.com/docs/guides/manage-accounts/webhooks/about-webhooks",
    confidence: "second-hand",
    note: "Merchant events hold no time: two refused payments of an order have the same body.",
  },
};
