import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const metronome: Scheme = definePlainScheme({
  name: "metronome",
  title: "Metronome",
  key: textSecret("hmac-sha256"),
  signature: { header: "Metronome-Webhook-Signature", encoding: hex },
  signed: "{timestamp}\n{body}",
  timestamp: { header: "X-Metronome-Date", unit: "http", toleranceSeconds: 300 },
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  data: "properties",
});

export const facts: SchemeFacts = {
  keyFrom: "Metronome, Developer, Webhooks, the webhook's secret.",
  confidence: "confirmed",
  source: "https://github.com/Metronome-Industries/metronome-node/blob/main/src/resources/webhooks.ts",
  repeats: { source: "https://docs.metronome.com/developer-resources/use-api/webhooks" },
};
