import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const postmark: Scheme = definePlainScheme({
  name: "postmark",
  title: "Postmark",
  headers: ["x-pm-*"],
  key: textSecret("token"),
  signature: { header: "Authorization", encoding: base64, prefix: "Basic " },
  signed: "{body}",

  type: "body:RecordType",
  promises: { id: "absent", type: "usual" },
  repeats: [sameBody(12 * hour)],
  covered: ["sender"],
});

export const facts: SchemeFacts = {
  keyFrom: "The user and password you put into the webhook's URL or settings, as `user:password`.",
  confidence: "second-hand",
  source: "https://postmarkapp.com/developer/webhooks/webhooks-overview#protecting-your-webhook",
  promises: {
    source: "https://postmarkapp.com/developer/webhooks/inbound-webhook",
    note: "Inbound mail has no `RecordType`.",
  },
  repeats: {
    source: "https://postmarkapp.com/developer/webhooks/webhooks-overview",
    confidence: "second-hand",
    note: "Bodies hold the message's id and the time. Postmark tries again for ten and a half hours.",
  },
  notes: ["Postmark does not sign its webhooks: use TLS, and fetch what matters by its id."],
};
