import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const quickbooks: Scheme = definePlainScheme({
  name: "quickbooks",
  title: "QuickBooks Online",
  promises: { id: "absent", type: "absent" },
  headers: ["intuit-created-time", "intuit-notification-schema-version", "intuit-t-id"],
  key: textSecret("hmac-sha256"),
  signature: { header: "intuit-signature", encoding: base64 },
  signed: "{body}",
  repeats: [sameBody(3 * day)],
});

export const facts: SchemeFacts = {
  keyFrom: "Intuit Developer, the app, Webhooks, Verifier token.",
  confidence: "confirmed",
  source: "https://github.com/IntuitDeveloper/SampleApp-Webhooks-nodejs/blob/master/util/util.js",
  repeats: {
    source: "https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks",
    confidence: "second-hand",
    note: "Entities hold the time of their last change. The time of retries is not documented; three days are ours.",
  },
  notes: ["One delivery can tell of many entities; QuickBooks gives them no event ids."],
};
