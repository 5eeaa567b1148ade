import { base64url } from "../base64.ts";
import { readContent } from "../content.ts";
import { definePairsScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const sanity: Scheme = definePairsScheme({
  name: "sanity",
  title: "Sanity",
  parse: readContent,
  json: "usual",
  methods: ["GET", "PUT"],
  headers: [
    "sanity-dataset",
    "sanity-document-id",
    "sanity-project-id",
    "sanity-transaction-id",
    "sanity-transaction-time",
    "sanity-webhook-id",
  ],
  key: textSecret("hmac-sha256"),
  signature: {
    header: "sanity-webhook-signature",
    encoding: base64url,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  timestamp: { unit: "ms", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  id: "header:idempotency-key",
  type: "header:sanity-operation",
  promises: { id: "promised", type: "promised" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you set on the webhook (sanity.io/manage, API, Webhooks).",
  confidence: "confirmed",
  source: "https://github.com/sanity-io/webhook-toolkit",
  repeats: {
    source: "https://www.sanity.io/docs/content-lake/webhooks",
    confidence: "second-hand",
    note: "The key stays the same when Sanity tries again.",
  },
  notes: [
    "Sanity names no window; five minutes is ours.",
    "The body is the projection you set; type and id stand in headers that are not covered.",
  ],
};
