import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { ed25519PublicKey } from "../keys/public.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * fal.ai: `x-fal-webhook-signature: <hex>`, Ed25519 over request id, user id, timestamp and the hex
 * SHA-256 of the body, a line each. Known from other libraries and guides; the sender's own
 * documentation could not be read.
 */
export const fal: Scheme = definePlainScheme({
  name: "fal",
  title: "fal.ai",
  key: ed25519PublicKey(),
  signature: { header: "X-Fal-Webhook-Signature", encoding: hex },
  signed: "{id}\n{header:x-fal-webhook-user-id}\n{timestamp}\n{body-sha256}",
  timestamp: { header: "X-Fal-Webhook-Timestamp", unit: "s", toleranceSeconds: 300 },
  idHeader: "X-Fal-Webhook-Request-Id",
  type: "body:status",
  data: "payload",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: '`jwks("https://rest.fal.ai/.well-known/jwks.json")`; every key of the set is tried.',
  confidence: "second-hand",
  source: "https://docs.fal.ai/model-endpoints/webhooks",
};
