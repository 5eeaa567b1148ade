import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { sameMessage } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const ghost: Scheme = definePairsScheme({
  name: "ghost",
  title: "Ghost",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "X-Ghost-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "sha256" },
  },
  signed: "{body}{timestamp}",
  timestamp: { unit: "ms", toleranceSeconds: 300 },
  type: "body:event",
  promises: { id: "absent", type: "usual" },
  repeats: [sameMessage()],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook (Settings, Integrations, the integration).",
  confidence: "confirmed",
  source: "https://github.com/TryGhost/Ghost/blob/main/ghost/core/core/server/services/webhooks/WebhookTrigger.js",
  promises: { note: "Older versions name no event." },
  repeats: {
    source: "https://github.com/TryGhost/Ghost/blob/main/ghost/core/core/server/services/webhooks/WebhookTrigger.js",
    note: "Ghost signs once for all attempts, so the same signature is a repeat. Bodies such as `{}` recur.",
  },
  notes: ["Ghost names no window; five minutes is ours. Older versions sign the body alone, and name no event."],
};
