import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody, signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const aftership: Scheme = definePlainScheme({
  name: "aftership",
  title: "AfterShip",
  key: textSecret("hmac-sha256"),
  signature: { header: ["aftership-hmac-sha256", "as-signature-hmac-sha256"], encoding: base64 },
  signed: "{body}",
  id: "body:event_id",
  type: "body:event",
  promises: { id: "usual", type: "usual" },
  repeats: [signedId, sameBody(3 * day)],
  data: "msg",
});

export const facts: SchemeFacts = {
  keyFrom: "AfterShip, Settings, Webhooks, Webhook secret.",
  confidence: "confirmed",
  source: "https://www.aftership.com/docs/tracking/webhook/webhook-signature",
  promises: { note: "Returns' and Warranty's events have no `event_id`." },
  repeats: {
    source: "https://www.aftership.com/docs/tracking/webhook/webhook-specifications",
    note: "Three days, for what has no id, are ours.",
  },
  notes: [
    "Organisations made before 25 October 2022 may get Returns' signature in `am-webhook-signature: hmac-sha256=…`, which is not read.",
    "Tracking signs in `aftership-hmac-sha256`; Returns and Warranty sign in `as-signature-hmac-sha256`.",
  ],
};
