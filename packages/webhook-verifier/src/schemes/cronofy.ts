import { base64 } from "../base64.ts";
import { commaList } from "../comma-list.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";

import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const cronofy: Scheme = {
  ...definePlainScheme({
    name: "cronofy",
    title: "Cronofy",
    key: textSecret("hmac-sha256"),
    signature: { header: "Cronofy-HMAC-SHA256", encoding: base64 },
    signed: "{body}",
    type: "body:notification.type",
    promises: { id: "absent", type: "usual" },
    repeats: [noRepeat],
  }),
  read: ({ headers, body }) => [{ signatures: commaList(headers, "cronofy-hmac-sha256"), signed: [body] }],
};

export const facts: SchemeFacts = {
  keyFrom: "Cronofy dashboard, the application, the client secret.",
  confidence: "confirmed",
  source: "https://github.com/cronofy/cronofy-node/blob/master/src/index.js",
  repeats: {
    source: "https://docs.cronofy.com/developers/api/push-notifications/",
    confidence: "second-hand",
    why: "A notification says that something changed, and has no id.",
  },
  notes: ["Cronofy sends one code for each valid client secret."],
};
