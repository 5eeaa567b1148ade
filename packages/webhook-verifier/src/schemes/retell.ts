import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const retell: Scheme = definePairsScheme({
  name: "retell",
  title: "Retell AI",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Retell-Signature", encoding: hex, pairs: { separator: ",", timestamp: "v", signature: "d" } },
  timestamp: { unit: "ms", toleranceSeconds: 300 },
  signed: "{body}{timestamp}",
  type: "body:event",
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "Retell dashboard, API Keys, the key with the webhook badge.",
  confidence: "confirmed",
  source: "https://github.com/RetellAI/retell-typescript-sdk/blob/main/src/lib/webhook_auth.ts",
  repeats: {
    source: "https://docs.retellai.com/features/webhook-overview",
    confidence: "second-hand",
    note: "A call has each event once. Retell tries three times within minutes, signed anew.",
  },
};
