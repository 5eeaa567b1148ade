import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const customerIo: Scheme = definePlainScheme({
  name: "customer-io",
  title: "Customer.io",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-CIO-Signature", encoding: hex },
  signed: "v0:{timestamp}:{body}",
  timestamp: { header: "X-CIO-Timestamp", unit: "s", toleranceSeconds: 300 },
  id: "body:event_id",
  type: ["body:object_type", "body:metric"],
  promises: { id: "promised", type: "promised" },
  data: "data",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Data & Integrations, Integrations, Reporting Webhooks, the webhook's signing key.",
  confidence: "second-hand",
  source: "https://customer.io/docs/journeys/webhooks/",
  repeats: { source: "https://docs.customer.io/api/webhooks/", confidence: "second-hand" },
  notes: ["Customer.io names no window; five minutes is ours."],
};
