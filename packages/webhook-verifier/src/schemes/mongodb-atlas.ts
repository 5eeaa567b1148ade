import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const mongodbAtlas: Scheme = definePlainScheme({
  name: "mongodb-atlas",
  title: "MongoDB Atlas",
  headers: ["x-mms-event"],
  key: textSecret("hmac-sha1"),
  signature: { header: "X-MMS-Signature", encoding: base64 },
  signed: "{body}",
  type: "body:eventTypeName",
  promises: { id: "absent", type: "usual" },
  repeats: [noRepeat],
});

export const facts: SchemeFacts = {
  keyFrom: "You choose it: Project Settings, Integrations, Webhook Settings, Webhook Secret.",
  confidence: "confirmed",
  source: "https://www.mongodb.com/docs/atlas/tutorial/webhook-integration/",
  repeats: {
    source: "https://www.mongodb.com/docs/atlas/tutorial/webhook-integration/",
    confidence: "second-hand",
    why: "Atlas tells of an open alert again and again, with the alert's id only.",
  },
  notes: [
    "The body's `id` is the alert's: each of its states has the same one, so it is not taken as the event's id.",
    "`X-MMS-Event` (`alert.open`, `alert.close`, …) is not covered. The body's `status` says the same and is.",
    "Atlas signs only if you set a secret.",
  ],
};
