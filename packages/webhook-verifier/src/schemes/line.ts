import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const line: Scheme = definePlainScheme({
  name: "line",
  title: "LINE",
  promises: { id: "promised", type: "promised" },
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Line-Signature", encoding: base64 },
  signed: "{body}",
  repeats: [sameBody(3 * day, ["events.*.deliveryContext"])],
  items: itemsAt("events", { id: "webhookEventId", type: "type" }),
});

export const facts: SchemeFacts = {
  keyFrom: "LINE Developers Console, the channel, Basic settings, Channel secret.",
  confidence: "confirmed",
  source: "https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/",
  repeats: {
    source: "https://github.com/line/line-openapi/blob/main/webhook.yml",
    note: "Each event has a `webhookEventId`, which stays when LINE sends it again. LINE does not say for how long it tries.",
  },
  notes: ["The console tests the address with a delivery that has no events."],
};
