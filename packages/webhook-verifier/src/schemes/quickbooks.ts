import { base64 } from "../base64.ts";
import { defineScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * QuickBooks Online: `intuit-signature: <base64>`, HMAC-SHA256 over the body. Known from other libraries and guides;
 * the sender's own documentation could not be read.
 */
export const quickbooks: Scheme = defineScheme({
  name: "quickbooks",
  facts: {
    title: "QuickBooks Online",
    keyFrom: "Intuit Developer, the app, Webhooks, Verifier token.",
    confidence: "second-hand",
    source: "https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks",
    notes: ["One delivery can tell of many entities; QuickBooks gives them no event ids."],
  },
  key: textSecret("hmac-sha256"),
  signature: { header: "intuit-signature", encoding: base64 },
  signed: "{body}",
});
