import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const dwolla: Scheme = definePlainScheme({
  name: "dwolla",
  title: "Dwolla",
  headers: ["x-dwolla-topic"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Request-Signature-SHA-256", encoding: hex },
  signed: "{body}",
  id: "body:id",
  type: "body:topic",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook subscription.",
  confidence: "second-hand",
  source: "https://developers.dwolla.com/docs/working-with-webhooks",
  repeats: { source: "https://developers.dwolla.com/docs/working-with-webhooks", confidence: "second-hand" },
};
