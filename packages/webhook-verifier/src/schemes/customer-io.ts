import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Customer.io (reporting webhooks) signs `v0:<timestamp>:<body>` with HMAC-SHA256 and sends
 * `X-CIO-Signature: <hex>`. The timestamp is in `X-CIO-Timestamp`, in seconds, and may be at most
 * 300 s from now. This is known from other libraries and guides; the sender's own documentation
 * could not be read.
 * @see https://customer.io/docs/journeys/webhooks/
 */
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

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "Data & Integrations, Integrations, Reporting Webhooks, the webhook's signing key.",
  confidence: "second-hand",
  source: "https://customer.io/docs/journeys/webhooks/",
  repeats: { source: "https://docs.customer.io/api/webhooks/", confidence: "second-hand" },
  notes: ["Customer.io names no window; five minutes is ours."],
};
