import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const mailersend: Scheme = definePlainScheme({
  name: "mailersend",
  title: "MailerSend",
  key: textSecret("hmac-sha256"),
  signature: { header: "Signature", encoding: hex },
  signed: "{body}",
  type: "body:type",
  promises: { id: "absent", type: "promised" },
  data: "data",
  repeats: [sameBody(hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "MailerSend, the domain, Webhooks, the webhook's signing secret.",
  confidence: "confirmed",
  source: "https://github.com/mailersend/mailersend-nodejs/blob/main/src/services/mailersend.utils.ts",
  repeats: {
    source: "https://developers.mailersend.com/api/v1/webhooks.html",
    confidence: "second-hand",
    note: "Bodies hold the time of their event. MailerSend tries twice more within minutes.",
  },
};
