import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const razorpay: Scheme = definePlainScheme({
  name: "razorpay",
  title: "Razorpay",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Razorpay-Signature", encoding: hex },
  signed: "{body}",
  id: "header:x-razorpay-event-id",
  type: "body:event",
  promises: { id: "usual", type: "promised" },
  data: "payload",
  repeats: [unsignedId(), sameBody(25 * hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you set on the webhook (Dashboard, Account & Settings, Webhooks).",
  confidence: "confirmed",
  source: "https://www.npmjs.com/package/razorpay (validateWebhookSignature)",
  repeats: {
    source: "https://razorpay.com/docs/webhooks/best-practices/",
    confidence: "second-hand",
    note: "Razorpay tries again for a day, with the same id. Without it, the body says when the event happened.",
  },
};
