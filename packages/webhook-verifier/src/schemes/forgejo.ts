import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Forgejo (Codeberg): `X-Forgejo-Signature: <hex>`, HMAC-SHA256 over the body. Event and delivery
 * id stand in headers the signature does not cover. Known from other libraries and guides; the
 * sender's own documentation could not be read.
 */
export const forgejo: Scheme = definePlainScheme({
  name: "forgejo",
  title: "Forgejo (Codeberg)",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Forgejo-Signature", encoding: hex },
  signed: "{body}",
  id: "header:x-forgejo-delivery",
  type: "header:x-forgejo-event",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook.",
  confidence: "second-hand",
  source: "https://forgejo.org/docs/latest/user/webhooks/",
};
