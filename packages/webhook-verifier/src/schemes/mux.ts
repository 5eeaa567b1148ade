import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const mux: Scheme = definePairsScheme({
  name: "mux",
  title: "Mux",
  key: textSecret("hmac-sha256"),
  signature: { header: "Mux-Signature", encoding: hex, pairs: { separator: ",", timestamp: "t", signature: "v1" } },
  timestamp: { unit: "s", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  data: "data",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Mux dashboard, Settings, Webhooks, the webhook's signing secret.",
  confidence: "confirmed",
  source: "https://github.com/muxinc/mux-node-sdk/blob/master/src/resources/webhooks/webhooks.ts",
  repeats: { source: "https://www.mux.com/docs/core/listen-for-webhooks", confidence: "second-hand" },
};
