import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const coinify: Scheme = definePlainScheme({
  name: "coinify",
  title: "Coinify",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Coinify-Webhook-Signature", encoding: hex },
  signed: "{body}",
  id: "body:id",
  type: "body:event",
  promises: { id: "promised", type: "promised" },
  data: "context",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The shared secret of the webhook.",
  confidence: "confirmed",
  source: "https://coinify.readme.io/docs/webhook-signature",
  repeats: { source: "https://coinify.readme.io/docs/webhook-structure" },
};
