import { base64 } from "../base64.ts";
import { readContent } from "../content.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const hookdeck: Scheme = definePlainScheme({
  name: "hookdeck",
  title: "Hookdeck",
  promises: { id: "usual", type: "absent" },
  parse: readContent,
  json: "usual",
  methods: ["GET", "PUT"],
  headers: [
    "x-hookdeck-source-name",
    "x-hookdeck-destination-name",
    "x-hookdeck-connection-name",
    "x-hookdeck-attempt-trigger",
    "x-hookdeck-will-retry-after",
    "x-hookdeck-verified",
    "x-hookdeck-original-ip",
  ],
  key: textSecret("hmac-sha256"),
  signature: { header: ["x-hookdeck-signature", "x-hookdeck-signature-2"], encoding: base64 },
  signed: "{body}",
  id: "header:x-hookdeck-eventid",
  repeats: [unsignedId(), sameBody(hour)],
  metadata: { deliveryId: "header:x-hookdeck-requestid", attempt: "header:x-hookdeck-attempt-count" },
});

export const facts: SchemeFacts = {
  keyFrom: "Hookdeck, Settings, Secrets, the project's signing secret.",
  confidence: "confirmed",
  source: "https://github.com/hookdeck/webhook-skills/tree/main/skills/hookdeck-event-gateway-webhooks",
  promises: { note: "A proxy may drop the header." },
  repeats: {
    source: "https://github.com/hookdeck/webhook-skills/tree/main/skills/hookdeck-event-gateway-webhooks",
    note: "Every delivery has the id. One hour, for a proxy that drops it, is ours.",
  },
  notes: [
    "Hookdeck signs what it forwards, whether or not the first sender's own signature was right: set the verification of the source as well, or read `x-hookdeck-verified`.",
    "While a secret is rotated, a second code stands in `x-hookdeck-signature-2`. The body is that of the first sender.",
  ],
};
