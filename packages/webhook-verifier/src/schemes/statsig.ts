import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const statsig: Scheme = definePlainScheme({
  name: "statsig",
  title: "Statsig",
  promises: { id: "absent", type: "absent" },
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Statsig-Signature", encoding: hex, prefix: "v0=" },
  signed: "v0:{timestamp}:{body}",
  timestamp: { header: "X-Statsig-Request-Timestamp", unit: "ms", toleranceSeconds: 300 },
  data: "data",
  repeats: [sameBody(3 * day)],
});

export const facts: SchemeFacts = {
  keyFrom: "Statsig console, Project Settings, Integrations, Generic Webhook, the signing secret.",
  confidence: "second-hand",
  source: "https://docs.statsig.com/integrations/event_webhook",
  repeats: {
    source: "https://docs.statsig.com/integrations/event_webhook",
    note: "Events hold their time. The time of retries is not documented; three days are ours.",
  },
  notes: ["Statsig names no window; five minutes is ours."],
};
