import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const coinflow: Scheme = definePairsScheme({
  name: "coinflow",
  title: "Coinflow",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "Coinflow-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  signed: "{timestamp}.{body}",
  timestamp: { unit: "s", toleranceSeconds: 300 },
  type: "body:eventType",
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(36 * hour)],
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "Coinflow Admin Dashboard, Developers, Webhooks, the webhook validation key.",
  confidence: "confirmed",
  source: "https://docs.coinflow.cash/guides/developer-resources/webhooks/verifying-webhook-signatures",
  repeats: {
    source: "https://docs.coinflow.cash/guides/developer-resources/webhooks/configuring-webhooks",
    note: "Coinflow tries for 36 hours, and says when an event was created.",
  },
  notes: ["Coinflow names no window; five minutes is ours."],
};
