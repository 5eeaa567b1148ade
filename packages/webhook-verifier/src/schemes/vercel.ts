import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const vercel: Scheme = definePlainScheme({
  name: "vercel",
  title: "Vercel",
  key: textSecret("hmac-sha1"),
  signature: { header: "x-vercel-signature", encoding: hex },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  data: "payload",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret shown when the webhook is made; for integrations the integration's client secret.",
  confidence: "second-hand",
  source: "https://vercel.com/docs/webhooks/webhooks-api",
  repeats: { source: "https://vercel.com/docs/webhooks/webhooks-api", confidence: "second-hand" },
};
