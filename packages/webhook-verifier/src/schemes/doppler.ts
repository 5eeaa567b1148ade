import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Doppler signs the body with HMAC-SHA256 and sends `X-Doppler-Signature: sha256=<hex>`. No time is
 * signed. This is known from other libraries and guides; the sender's own documentation could not
 * be read.
 * @see https://docs.doppler.com/docs/webhooks
 */
export const doppler: Scheme = definePlainScheme({
  name: "doppler",
  title: "Doppler",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Doppler-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  type: "body:type",
  promises: { id: "absent", type: "usual" },
  repeats: [noRepeat],
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook.",
  confidence: "second-hand",
  source: "https://docs.doppler.com/docs/webhooks",
  promises: { note: "A payload of your own decides what the body holds." },
  repeats: {
    source: "https://docs.doppler.com/docs/webhooks",
    confidence: "second-hand",
    why: "A body says what changed, and the next change of it has the same body.",
  },
};
