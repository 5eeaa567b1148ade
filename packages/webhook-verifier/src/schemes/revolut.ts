import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { sameMessage } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Revolut (Business and Merchant) signs `v1.<timestamp>.<body>` with HMAC-SHA256 and sends
 * `Revolut-Signature: v1=<hex>[,v1=<hex>…]`. The timestamp is in `Revolut-Request-Timestamp`, in
 * milliseconds, and may be at most 300 s from now.
 * @see https://developer.revolut.com/docs/guides/manage-accounts/webhooks/verify-the-payload-signature
 */
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

/** For the documentation. Bundlers leave it out. */
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
