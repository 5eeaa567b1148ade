import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const heroku: Scheme = definePlainScheme({
  name: "heroku",
  title: "Heroku",
  key: textSecret("hmac-sha256"),
  signature: { header: "Heroku-Webhook-Hmac-SHA256", encoding: base64 },
  signed: "{body}",
  id: "body:id",
  type: ["body:resource", "body:action"],
  promises: { id: "promised", type: "promised" },
  data: "data",
  metadata: { apiVersion: "body:version" },
  repeats: [{ by: "signed-id", id: "body:webhook_metadata.event.id" }, signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook, or the one the answer to making it showed.",
  confidence: "second-hand",
  source: "https://devcenter.heroku.com/articles/app-webhooks#securing-webhook-requests",
  repeats: { source: "https://devcenter.heroku.com/articles/app-webhooks-schema", confidence: "second-hand" },
};
