import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Webex signs the body with HMAC-SHA1 and sends `X-Spark-Signature: <hex>`. No time is signed. This
 * is known from other libraries and guides; the sender's own documentation could not be read.
 * @see https://developer.webex.com/docs/api/guides/webhooks
 */
export const webex: Scheme = definePlainScheme({
  name: "webex",
  title: "Webex",
  key: textSecret("hmac-sha1"),
  signature: { header: "X-Spark-Signature", encoding: hex },
  signed: "{body}",
  type: ["body:resource", "body:event"],
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook.",
  confidence: "second-hand",
  source: "https://developer.webex.com/docs/api/guides/webhooks",
  notes: ["The id in the body is the webhook's, not the event's."],
};
