import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * Lemon Squeezy: `X-Signature: <hex>`, HMAC-SHA256 over the body. Known from other libraries and guides; the
 * sender's own documentation could not be read.
 */
export const lemonSqueezy: Scheme = defineScheme({
  name: "lemon-squeezy",
  facts: {
    title: "Lemon Squeezy",
    keyFrom: "The signing secret you set on the webhook (Settings, Webhooks).",
    confidence: "second-hand",
    source: "https://docs.lemonsqueezy.com/help/webhooks/signing-requests",
  },
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Signature", encoding: hex },
  signed: "{body}",
  type: "body:meta.event_name",
});
