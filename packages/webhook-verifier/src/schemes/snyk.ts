import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Snyk signs the body with HMAC-SHA256 and sends `X-Hub-Signature: sha256=<hex>`. No time is
 * signed. The signature does not cover the headers `x-snyk-transport-id` (id) and `x-snyk-event`
 * (type).
 * @see https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/validation-and-versioning-of-payloads
 */
export const snyk: Scheme = definePlainScheme({
  name: "snyk",
  title: "Snyk",
  headers: ["x-snyk-timestamp"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Hub-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "header:x-snyk-transport-id",
  type: "header:x-snyk-event",
  promises: { id: "promised", type: "promised" },
  repeats: [unsignedId()],
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret you gave when you made the webhook.",
  confidence: "confirmed",
  source: "https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/validation-and-versioning-of-payloads",
  repeats: {
    source:
      "https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/validation-and-versioning-of-payloads",
  },
};
