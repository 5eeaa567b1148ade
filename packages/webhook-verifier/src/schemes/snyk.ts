import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Snyk: `X-Hub-Signature: sha256=<hex>`, HMAC-SHA256 over the body. Event and delivery id stand in
 * headers the signature does not cover.
 */
export const snyk: Scheme = definePlainScheme({
  name: "snyk",
  title: "Snyk",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Hub-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "header:x-snyk-transport-id",
  type: "header:x-snyk-event",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret you gave when you made the webhook.",
  confidence: "confirmed",
  source: "https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/validation-and-versioning-of-payloads",
};
