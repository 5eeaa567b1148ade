import { base64Secret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const finch: Scheme = standardWebhooksScheme({
  name: "finch",
  prefix: "finch",
  idHeader: "finch-event-id",
  title: "Finch",
  type: "body:event_type",
  promisesType: "usual",
  data: "data",
  key: base64Secret("hmac-sha256"),
});

export const facts: SchemeFacts = {
  headers: ["Finch-Event-Id", "Finch-Timestamp", "Finch-Signature"],
  keyFrom: "Finch Dashboard, Webhooks: the secret that is shown when the URL is registered.",
  confidence: "confirmed",
  source: "https://github.com/Finch-API/finch-api-node/blob/main/src/resources/webhooks.ts",
  promises: { source: "https://github.com/Finch-API/finch-api-node/blob/main/src/resources/webhooks.ts" },
  repeats: { source: "https://developer.tryfinch.com/developer-resources/Webhooks" },
};
