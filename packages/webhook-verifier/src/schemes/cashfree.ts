import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const cashfree: Scheme = definePlainScheme({
  name: "cashfree",
  title: "Cashfree",
  headers: ["x-webhook-attempt"],
  key: textSecret("hmac-sha256"),
  signature: { header: "x-webhook-signature", encoding: base64 },
  signed: "{timestamp}{body}",
  timestamp: { header: "x-webhook-timestamp", unit: "ms", toleranceSeconds: 300 },
  id: "header:x-idempotency-key",
  type: "body:type",
  promises: { id: "usual", type: "usual" },
  data: "data",
  metadata: { apiVersion: "header:x-webhook-version" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The client secret of the API key in use.",
  confidence: "confirmed",
  source: "https://www.cashfree.com/docs/payments/online/webhooks/signature-verification",
  promises: { note: "Older versions of its webhooks send neither." },
  repeats: { source: "https://www.cashfree.com/docs/payments/online/webhooks/troubleshooting" },
  notes: ["Cashfree names no window; five minutes is ours."],
};
