import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * ClickUp signs the body with HMAC-SHA256 and sends `X-Signature: <hex>`. No time is signed.
 * @see https://developer.clickup.com/docs/webhooksignature
 */
export const clickup: Scheme = definePlainScheme({
  name: "clickup",
  title: "ClickUp",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Signature", encoding: hex },
  signed: "{body}",
  type: "body:event",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The `webhook.secret` in the answer to making the webhook.",
  confidence: "confirmed",
  source: "https://developer.clickup.com/docs/webhooksignature",
};
