import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Convoy and senders built on it, simple signatures: `X-Convoy-Signature: <hex>`, HMAC-SHA256 over
 * the body.
 */
export const convoySimple: Scheme = definePlainScheme({
  name: "convoy-simple",
  title: "Convoy (simple)",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Convoy-Signature", encoding: hex },
  signed: "{body}",
  type: "body:event_type",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The endpoint's secret, from the sender.",
  confidence: "confirmed",
  source: "https://github.com/frain-dev/convoy/tree/main/pkg/signature",
};
