import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Moneybird signs `<timestamp>.<body>` with HMAC-SHA256 and sends
 * `Moneybird-Signature: t=<seconds>,v1=<hex>`. The time may be at most 300 s from now.
 * @see https://developer.moneybird.com/webhooks/verifying-signatures
 */
export const moneybird: Scheme = definePairsScheme({
  name: "moneybird",
  title: "Moneybird",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "Moneybird-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  timestamp: { unit: "s", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  type: "body:action",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The signing secret in the answer to making the webhook.",
  confidence: "confirmed",
  source: "https://developer.moneybird.com/webhooks/verifying-signatures",
  notes: ["While a secret is rotated, every active one signs. Moneybird names no window; five minutes is ours."],
};
