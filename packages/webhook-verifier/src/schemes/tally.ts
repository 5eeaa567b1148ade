import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const tally: Scheme = definePlainScheme({
  name: "tally",
  title: "Tally",
  promises: { id: "promised", type: "promised" },
  key: textSecret("hmac-sha256"),
  signature: { header: "Tally-Signature", encoding: base64 },
  signed: "{body}",
  id: "body:eventId",
  type: "body:eventType",
  data: "data",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The form, Integrations, Webhooks, the webhook, Add a signing secret.",
  confidence: "confirmed",
  source: "https://tally.so/help/webhooks",
  repeats: { source: "https://tally.so/help/webhooks", confidence: "second-hand" },
  notes: ["Tally signs only if the webhook has a signing secret. Headers of your own can be added there, too."],
};
