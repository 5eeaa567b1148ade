import { textAnswer } from "../answers.ts";
import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hexSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const adyenPlatform: Scheme = definePlainScheme({
  name: "adyen-platform",
  title: "Adyen (platform, management)",
  key: hexSecret("hmac-sha256"),
  signature: { header: "HmacSignature", encoding: base64 },
  signed: "{body}",
  type: "body:type",
  promises: { id: "absent", type: "usual" },
  data: "data",
  repeats: [sameBody(8 * day)],
  answer: textAnswer("[accepted]"),
});

export const facts: SchemeFacts = {
  keyFrom: "Customer Area, Developers, Webhooks, the webhook, HMAC key.",
  confidence: "confirmed",
  source: "https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures",
  repeats: {
    source: "https://docs.adyen.com/development-resources/webhooks/handle-webhook-events",
    confidence: "second-hand",
    note: "A body holds the time of its event. Adyen tries again for seven days.",
  },
  notes: ["Older webhooks need the body `[accepted]` as answer, which receivers send; for newer ones any 2xx will do."],
};
