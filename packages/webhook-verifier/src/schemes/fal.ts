import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { ed25519PublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * fal.ai signs four lines with Ed25519: request id, user id, timestamp, and the SHA-256 of the body
 * in hex. It sends `X-Fal-Webhook-Signature: <hex>`. The timestamp is in `X-Fal-Webhook-Timestamp`,
 * in seconds, and may be at most 300 s from now. This is known from other libraries and guides; the
 * sender's own documentation could not be read.
 * @see https://docs.fal.ai/model-endpoints/webhooks
 */
export const fal: Scheme = definePlainScheme({
  name: "fal",
  title: "fal.ai",
  headers: ["x-fal-webhook-user-id"],
  key: ed25519PublicKey(),
  signature: { header: "X-Fal-Webhook-Signature", encoding: hex },
  signed: "{id}\n{header:x-fal-webhook-user-id}\n{timestamp}\n{body-sha256}",
  timestamp: { header: "X-Fal-Webhook-Timestamp", unit: "s", toleranceSeconds: 300 },
  idHeader: "X-Fal-Webhook-Request-Id",
  type: "body:status",
  promises: { id: "promised", type: "promised" },
  data: "payload",
  repeats: [signedId],
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: '`jwks("https://rest.fal.ai/.well-known/jwks.json")`; every key of the set is tried.',
  confidence: "second-hand",
  source: "https://docs.fal.ai/model-endpoints/webhooks",
  repeats: {
    source: "https://docs.fal.ai/model-endpoints/webhooks",
    confidence: "second-hand",
    note: "A request has one webhook.",
  },
};
