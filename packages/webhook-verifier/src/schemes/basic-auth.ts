import { base64 } from "../base64.ts";
import { contentReader, payloadField } from "../content.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { idIfSent, usualIdHeaders } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const basicAuth: Scheme = definePlainScheme({
  name: "basic-auth",
  title: "User and password (generic)",
  promises: { id: "unknown", type: "unknown" },
  json: "usual",
  methods: ["GET", "PUT"],
  key: textSecret("token"),
  signature: { header: "Authorization", encoding: base64, prefix: "Basic " },
  signed: "{body}",
  covered: ["sender"],
  id: usualIdHeaders,
  repeats: idIfSent,
  // Senders of this kind send JSON or a form.
  parse: contentReader(payloadField()),
});

export const facts: SchemeFacts = {
  keyFrom: "`user:password`, as you gave them to the sender.",
  confidence: "confirmed",
  source: "https://datatracker.ietf.org/doc/html/rfc7617",
  repeats: {
    source: "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header",
    confidence: "second-hand",
    why: "The sender decides what the body holds.",
  },
  notes: [
    "Only the sender is known; use TLS, and do not let the header reach a log.",
    "User and password are compared in constant time.",
  ],
};
