import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const lemonSqueezy: Scheme = definePlainScheme({
  name: "lemon-squeezy",
  title: "Lemon Squeezy",
  headers: ["x-event-name"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Signature", encoding: hex },
  signed: "{body}",
  type: "body:meta.event_name",
  promises: { id: "absent", type: "promised" },
  data: "data",
  repeats: [sameBody(hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "The signing secret you set on the webhook (Settings, Webhooks).",
  confidence: "confirmed",
  source: "https://github.com/lmsqueezy/nextjs-billing/blob/main/src/app/api/webhook/route.ts",
  repeats: {
    source: "https://docs.lemonsqueezy.com/help/webhooks/webhook-requests",
    confidence: "second-hand",
    note: "Bodies hold the time of the last change. Lemon Squeezy tries three more times within minutes.",
  },
};
