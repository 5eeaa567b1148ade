import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/** Flagsmith: `X-Flagsmith-Signature: <hex>`, HMAC-SHA256 over the body. */
export const flagsmith: Scheme = definePlainScheme({
  name: "flagsmith",
  title: "Flagsmith",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Flagsmith-Signature", encoding: hex },
  signed: "{body}",
  type: "body:event_type",
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook.",
  confidence: "confirmed",
  source: "https://docs.flagsmith.com/third-party-integrations/webhook",
};
