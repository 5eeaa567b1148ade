import { base64 } from "../base64.ts";
import { defineScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * Box: `box-signature-primary` and `box-signature-secondary`, HMAC-SHA256 in base64 over body and
 * `box-delivery-timestamp`. Two keys, so that one can be replaced while the other works; either header is enough.
 */
export const box: Scheme = defineScheme({
  name: "box",
  facts: {
    title: "Box",
    keyFrom: "Developer Console, the app, Webhooks, Manage Signature Keys: primary and secondary key.",
    confidence: "confirmed",
    source: "https://developer.box.com/guides/webhooks/v2/signatures-v2/",
  },
  key: textSecret("hmac-sha256"),
  signature: { header: ["box-signature-primary", "box-signature-secondary"], encoding: base64 },
  signed: "{body}{timestamp}",
  timestamp: { header: "box-delivery-timestamp", unit: "iso", toleranceSeconds: 600 },
  id: "header:box-delivery-id",
  type: "body:trigger",
});
