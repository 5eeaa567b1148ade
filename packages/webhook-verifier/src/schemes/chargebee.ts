import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Chargebee does not sign: `Authorization: Basic <base64 of user:password>` says who calls.
 * **Nothing of the request is authenticated.** This is known from other libraries and guides.
 * @see https://www.chargebee.com/docs/2.0/webhook_settings.html#basic-authentication
 */
export const chargebee: Scheme = definePlainScheme({
  name: "chargebee",
  title: "Chargebee",
  key: textSecret("token"),
  signature: { header: "Authorization", encoding: base64, prefix: "Basic " },
  signed: "{body}",
  id: "body:id",
  type: "body:event_type",
  data: "content",
  metadata: { apiVersion: "body:api_version" },
  covered: ["sender"],
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom:
    "Settings, Configure Chargebee, API Keys and Webhooks: the user and password you set on the webhook, as `user:password`.",
  confidence: "second-hand",
  source: "https://www.chargebee.com/docs/2.0/webhook_settings.html#basic-authentication",
  notes: ["Chargebee does not sign its webhooks: use TLS, and fetch what matters by its id."],
};
