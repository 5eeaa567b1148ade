import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { ed25519PublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

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
