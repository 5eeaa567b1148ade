import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const calCom: Scheme = definePlainScheme({
  name: "cal-com",
  title: "Cal.com",
  headers: ["x-cal-webhook-version"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Cal-Signature-256", encoding: hex },
  signed: "{body}",
  type: "body:triggerEvent",
  promises: { id: "absent", type: "usual" },
  data: "payload",
  repeats: [{ by: "signed-id", id: ["body:triggerEvent", "body:createdAt", "body:payload.uid"] }, noRepeat],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook (Settings, Developer, Webhooks).",
  confidence: "confirmed",
  source: "https://cal.com/docs/core-features/webhooks",
  promises: { note: "A template of your own decides what the body holds." },
  repeats: {
    source: "https://cal.com/docs/core-features/webhooks",
    confidence: "second-hand",
    why: "A template of your own decides what the body holds.",
  },
  notes: ["A custom payload template is signed as it is sent, and may hold no event type."],
};
