import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * Webex: `X-Spark-Signature: <hex>`, HMAC-SHA1 over the body. Known from other libraries and
 * guides; the sender's own documentation could not be read.
 */
export const webex: Scheme = defineScheme({
  name: "webex",
  facts: {
    title: "Webex",
    keyFrom: "The secret you gave the webhook.",
    confidence: "second-hand",
    source: "https://developer.webex.com/docs/api/guides/webhooks",
    notes: ["The id in the body is the webhook's, not the event's."],
  },
  key: textSecret("hmac-sha1"),
  signature: { header: "X-Spark-Signature", encoding: hex },
  signed: "{body}",
  type: ["body:resource", "body:event"],
});
