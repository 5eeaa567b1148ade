import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const onfido: Scheme = definePlainScheme({
  name: "onfido",
  title: "Onfido",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-SHA2-Signature", encoding: hex },
  signed: "{body}",
  type: "body:payload.action",
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(3 * day)],
  data: "payload",
});

export const facts: SchemeFacts = {
  keyFrom: "The webhook's token: shown once, when the webhook is made by the API or the dashboard.",
  confidence: "confirmed",
  source: "https://documentation.identity.entrust.com/api/manual-webhook-signature-verification/",
  repeats: {
    source: "https://documentation.identity.entrust.com/api/manual-webhook-signature-verification/",
    note: "An event names its object and when that was completed. Three days are ours.",
  },
};
