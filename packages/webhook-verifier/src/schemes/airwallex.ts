import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const airwallex: Scheme = definePlainScheme({
  name: "airwallex",
  title: "Airwallex",
  promises: { id: "promised", type: "promised" },
  key: textSecret("hmac-sha256"),
  signature: { header: "x-signature", encoding: hex },
  signed: "{timestamp}{body}",
  timestamp: { header: "x-timestamp", unit: "ms" },
  id: "body:id",
  type: "body:name",
  data: "data",
  metadata: { apiVersion: "body:version" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Airwallex web app, Developer, Webhooks, the webhook's secret: each one has its own.",
  confidence: "confirmed",
  source: "https://www.airwallex.com/docs/developer-tools/webhooks/listen-for-webhook-events",
  repeats: {
    source: "https://www.airwallex.com/docs/developer-tools/webhooks/webhooks-overview",
    note: "An event keeps its id, and Airwallex tries again for about three days.",
  },
  notes: [
    "Airwallex leaves the window to you, and does not say whether it signs anew when it tries again: set `toleranceSeconds` if you know.",
  ],
};
