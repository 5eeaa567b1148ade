import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { ed25519PublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Turnkey signs `v1.ed25519.<key-id>.<timestamp>.<id>.<body>` with Ed25519 and sends
 * `X-Turnkey-Signature: <hex>`. The id is in `X-Turnkey-Event-Id`. The timestamp is in
 * `X-Turnkey-Timestamp`, in milliseconds, and may be at most 300 s from now. The headers for
 * version and algorithm are not read: the signed text contains both.
 * @see https://docs.turnkey.com/features/webhooks/verify-signatures
 */
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

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: '`jwks("https://api.turnkey.com/public/v1/discovery/webhooks/jwks")`.',
  confidence: "confirmed",
  source: "https://docs.turnkey.com/features/webhooks/verify-signatures",
  repeats: { source: "https://docs.turnkey.com/features/webhooks/verify-signatures" },
  notes: ["Turnkey leaves the window to the receiver; five minutes is ours."],
};
