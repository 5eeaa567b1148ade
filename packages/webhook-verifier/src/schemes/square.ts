import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const square: Scheme = definePlainScheme({
  name: "square",
  title: "Square",
  headers: ["square-environment", "square-initial-delivery-timestamp", "square-retry-reason"],
  credentials: ["header:x-square-signature"],
  key: textSecret("hmac-sha256"),
  signature: { header: "x-square-hmacsha256-signature", encoding: base64 },
  signed: "{url}{body}",
  id: "body:event_id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  data: "data",
  metadata: { attempt: "header:square-retry-number" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Developer Console, the application, Webhooks, the subscription, Signature Key.",
  confidence: "confirmed",
  source: "https://developer.squareup.com/docs/webhooks/step3validate",
  repeats: { source: "https://developer.squareup.com/docs/webhooks/step3validate" },
  notes: [
    "The URL is the one you registered, character by character.",
    "`square-retry-number` counts the repeats: it is 1 at the first one, and absent before.",
  ],
};
