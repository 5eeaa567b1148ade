import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const chargebee: Scheme = definePlainScheme({
  name: "chargebee",
  title: "Chargebee",
  key: textSecret("token"),
  signature: { header: "Authorization", encoding: base64, prefix: "Basic " },
  signed: "{body}",
  id: "body:id",
  type: "body:event_type",
  promises: { id: "promised", type: "promised" },
  data: "content",
  metadata: { apiVersion: "body:api_version" },
  repeats: [unsignedId()],
  covered: ["sender"],
});

export const facts: SchemeFacts = {
  keyFrom:
    "Settings, Configure Chargebee, API Keys and Webhooks: the user and password you set on the webhook, as `user:password`.",
  confidence: "confirmed",
  source: "https://www.chargebee.com/docs/2.0/webhook_settings.html#basic-authentication",
  promises: { source: "https://apidocs.chargebee.com/docs/api/events" },
  repeats: {
    source: "https://www.chargebee.com/docs/webhook_settings.html",
    note: "Chargebee warns of duplicates and tries again for about three days.",
  },
  notes: ["Chargebee does not sign its webhooks: use TLS, and fetch what matters by its id."],
};
