import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const webflow: Scheme = definePlainScheme({
  name: "webflow",
  title: "Webflow",
  key: textSecret("hmac-sha256"),
  signature: { header: "x-webflow-signature", encoding: hex },
  signed: "{timestamp}:{body}",
  timestamp: { header: "x-webflow-timestamp", unit: "ms", toleranceSeconds: 300 },
  type: "body:triggerType",
  promises: { id: "absent", type: "promised" },
  data: "payload",
  repeats: [sameBody(hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "The OAuth application's client secret; for webhooks made with a site token the webhook's own secret.",
  confidence: "confirmed",
  source: "https://developers.webflow.com/data/docs/working-with-webhooks",
  repeats: {
    source: "https://developers.webflow.com/data/docs/working-with-webhooks",
    note: "Webflow tries three times, ten minutes apart, signed anew.",
  },
  notes: ["Webhooks made in the dashboard are not signed."],
};
