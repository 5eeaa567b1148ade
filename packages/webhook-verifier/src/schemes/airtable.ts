import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { base64Secret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const airtable: Scheme = definePlainScheme({
  name: "airtable",
  title: "Airtable",
  promises: { id: "absent", type: "absent" },
  key: base64Secret("hmac-sha256"),
  signature: { header: "X-Airtable-Content-MAC", encoding: hex, prefix: "hmac-sha256=" },
  signed: "{body}",
  repeats: [sameBody(7 * day)],
});

export const facts: SchemeFacts = {
  keyFrom: "The `macSecretBase64` in the answer to making the webhook; it is shown once.",
  confidence: "second-hand",
  source: "https://github.com/gtalarico/pyairtable/blob/main/pyairtable/models/webhook.py",
  repeats: {
    source: "https://airtable.com/developers/web/api/webhooks-overview",
    confidence: "second-hand",
    note: "A body holds the time of its notification, and a webhook lives for seven days.",
  },
};
