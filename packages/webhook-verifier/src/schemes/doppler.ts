import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * Doppler: `X-Doppler-Signature: sha256=<hex>`, HMAC-SHA256 over the body. Known from other
 * libraries and guides; the sender's own documentation could not be read.
 */
export const doppler: Scheme = defineScheme({
  name: "doppler",
  facts: {
    title: "Doppler",
    keyFrom: "The secret you gave the webhook.",
    confidence: "second-hand",
    source: "https://docs.doppler.com/docs/webhooks",
  },
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Doppler-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  type: "body:type",
});
