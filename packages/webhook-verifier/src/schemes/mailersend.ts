import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/** MailerSend: `Signature: <hex>`, HMAC-SHA256 over the body. */
export const mailersend: Scheme = defineScheme({
  name: "mailersend",
  facts: {
    title: "MailerSend",
    keyFrom: "MailerSend, the domain, Webhooks, the webhook's signing secret.",
    confidence: "confirmed",
    source: "https://github.com/mailersend/mailersend-nodejs/blob/main/src/services/mailersend.utils.ts",
  },
  key: textSecret("hmac-sha256"),
  signature: { header: "Signature", encoding: hex },
  signed: "{body}",
  type: "body:type",
});
