import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const trello: Scheme = definePlainScheme({
  name: "trello",
  title: "Trello",
  methods: ["HEAD"],
  key: textSecret("hmac-sha1"),
  signature: { header: "X-Trello-Webhook", encoding: base64 },
  signed: "{body}{url}",
  id: "body:action.id",
  type: "body:action.type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The OAuth 1.0 secret of the Power-Up (trello.com/power-ups/admin, API key).",
  confidence: "second-hand",
  source: "https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/",
  handshake: "HEAD: 200",
  repeats: {
    source: "https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/",
    confidence: "second-hand",
    note: "The id is the action's.",
  },
  notes: ["The URL is the callback URL exactly as it was given when the webhook was made."],
};
