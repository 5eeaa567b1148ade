import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const lago: Scheme = definePlainScheme({
  name: "lago",
  title: "Lago (HMAC)",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Lago-Signature", encoding: base64 },
  signed: "{body}",
  id: "header:x-lago-unique-key",
  type: "body:webhook_type",
  promises: { id: "promised", type: "promised" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The organization's HMAC key: Lago, Developers, Webhooks.",
  confidence: "confirmed",
  source: "https://getlago.com/docs/api-reference/webhooks/format---signature",
  repeats: {
    source: "https://github.com/getlago/lago-api/blob/main/app/models/webhook.rb",
    note: "The key stays the same when Lago tries again.",
  },
  notes: [
    "Choose `hmac` when you make the endpoint: Lago signs with `jwt` unless you do.",
    "For JWTs take `lago-jwt`.",
  ],
};
