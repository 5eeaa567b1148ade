import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

// A header repeats the time, but the signature does not cover it.
export const linear: Scheme = definePlainScheme({
  name: "linear",
  title: "Linear",
  headers: ["linear-event"],
  key: textSecret("hmac-sha256"),
  signature: { header: "Linear-Signature", encoding: hex },
  signed: "{body}",
  timestamp: { body: "webhookTimestamp", unit: "ms", toleranceSeconds: 60 },
  id: "header:linear-delivery",
  type: ["body:type", "body:action"],
  promises: { id: "promised", type: "promised" },
  data: "data",
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "Linear, Settings, API, Webhooks, the webhook, Signing secret.",
  confidence: "confirmed",
  source: "https://linear.app/developers/webhooks",
  repeats: { source: "https://linear.app/developers/webhooks", confidence: "second-hand" },
};
