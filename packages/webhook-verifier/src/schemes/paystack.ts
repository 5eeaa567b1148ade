import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const paystack: Scheme = definePlainScheme({
  name: "paystack",
  title: "Paystack",
  key: { ...textSecret("hmac-sha512"), isApiKey: true },
  signature: { header: "X-Paystack-Signature", encoding: hex },
  signed: "{body}",
  type: "body:event",
  promises: { id: "absent", type: "promised" },
  data: "data",
  repeats: [sameBody(73 * hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "The integration's secret key (`sk_…`).",
  confidence: "confirmed",
  source: "https://github.com/PaystackOSS/doc-code-snippets/tree/main/src/doc/payments/webhooks",
  repeats: {
    source: "https://paystack.com/docs/payments/webhooks/",
    confidence: "second-hand",
    note: "Bodies hold ids and times of what happened. Paystack tries again for 72 hours.",
  },
};
