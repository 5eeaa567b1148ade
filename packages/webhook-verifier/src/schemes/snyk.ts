import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

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

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave when you made the webhook.",
  confidence: "confirmed",
  source: "https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/validation-and-versioning-of-payloads",
  repeats: {
    source:
      "https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/validation-and-versioning-of-payloads",
  },
};
