import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/** Paystack: `X-Paystack-Signature: <hex>`, HMAC-SHA512 over the body. */
export const paystack: Scheme = defineScheme({
  name: "paystack",
  facts: {
    title: "Paystack",
    keyFrom: "The integration's secret key (`sk_…`).",
    confidence: "confirmed",
    source: "https://github.com/PaystackOSS/doc-code-snippets/tree/main/src/doc/payments/webhooks",
  },
  key: textSecret("hmac-sha512"),
  signature: { header: "X-Paystack-Signature", encoding: hex },
  signed: "{body}",
  type: "body:event",
});
