import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const fourthwall: Scheme = definePlainScheme({
  name: "fourthwall",
  title: "Fourthwall",
  key: textSecret("hmac-sha256"),
  signature: { header: ["X-Fourthwall-Hmac-SHA256", "X-Fourthwall-Hmac-Apps-SHA256"], encoding: base64 },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  data: "data",
  metadata: { apiVersion: "body:apiVersion" },
});

export const facts: SchemeFacts = {
  keyFrom: "Fourthwall, Settings, For developers, the webhook's secret; for a platform app its HMAC key.",
  confidence: "confirmed",
  source: "https://docs.fourthwall.com/webhooks/signature-verification",
  repeats: { source: "https://docs.fourthwall.com/webhooks/webhook-model" },
  notes: ["Platform apps get `X-Fourthwall-Hmac-Apps-SHA256`."],
};
