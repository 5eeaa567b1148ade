import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * Intercom: `X-Hub-Signature: sha1=<hex>`, HMAC-SHA1 over the body. Known from other libraries and guides; the
 * sender's own documentation could not be read.
 */
export const intercom: Scheme = defineScheme({
  name: "intercom",
  facts: {
    title: "Intercom",
    keyFrom: "The app's client secret (Developer Hub, the app, Basic information).",
    confidence: "second-hand",
    source: "https://developers.intercom.com/docs/webhooks/webhook-notifications",
  },
  key: textSecret("hmac-sha1"),
  signature: { header: "X-Hub-Signature", encoding: hex, prefix: "sha1=" },
  signed: "{body}",
  id: "body:id",
  type: "body:topic",
});
