import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const flagsmith: Scheme = definePlainScheme({
  name: "flagsmith",
  title: "Flagsmith",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Flagsmith-Signature", encoding: hex },
  signed: "{body}",
  type: "body:event_type",
  promises: { id: "absent", type: "promised" },
  data: "data",
  repeats: [sameBody(hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook.",
  confidence: "confirmed",
  source: "https://docs.flagsmith.com/third-party-integrations/webhook",
  repeats: {
    source: "https://github.com/Flagsmith/flagsmith/blob/main/api/webhooks/webhooks.py",
    note: "The body holds the time of the change. Flagsmith tries three times within seconds.",
  },
};
