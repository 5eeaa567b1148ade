import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { ed25519PublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const turnkey: Scheme = definePlainScheme({
  name: "turnkey",
  title: "Turnkey",
  key: ed25519PublicKey(),
  signature: { header: "X-Turnkey-Signature", encoding: hex },
  signed: "v1.ed25519.{key-id}.{timestamp}.{id}.{body}",
  timestamp: { header: "X-Turnkey-Timestamp", unit: "ms", toleranceSeconds: 300 },
  idHeader: "X-Turnkey-Event-Id",
  keyIdHeader: "X-Turnkey-Signature-Key-Id",
  type: "body:type",
  promises: { id: "promised", type: "usual" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: '`jwks("https://api.turnkey.com/public/v1/discovery/webhooks/jwks")`.',
  confidence: "confirmed",
  source: "https://docs.turnkey.com/features/webhooks/verify-signatures",
  repeats: { source: "https://docs.turnkey.com/features/webhooks/verify-signatures" },
  notes: [
    "Turnkey leaves the window to the receiver; five minutes is ours.",
    "The headers for version and algorithm are not read: the signed text contains both.",
  ],
};
