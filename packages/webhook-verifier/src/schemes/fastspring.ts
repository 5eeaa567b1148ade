import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const fastspring: Scheme = definePlainScheme({
  name: "fastspring",
  title: "FastSpring",
  promises: { id: "usual", type: "usual" },
  key: textSecret("hmac-sha256"),
  signature: { header: "X-FS-Signature", encoding: base64 },
  signed: "{body}",
  repeats: [sameBody(3 * day)],
  items: itemsAt("events", { id: "id", type: "type" }),
});

export const facts: SchemeFacts = {
  keyFrom: "The HMAC SHA256 Secret you gave the webhook (Developer Tools, Webhooks).",
  confidence: "confirmed",
  source: "https://developer.fastspring.com/docs/message-security",
  repeats: {
    source: "https://developer.fastspring.com/docs/message-security",
    note: "Every event has an id, so that no two deliveries share a body. Three days are ours.",
  },
  notes: ["FastSpring signs only if the webhook has a secret."],
};
