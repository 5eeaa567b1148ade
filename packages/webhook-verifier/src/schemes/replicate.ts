import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const replicate: Scheme = standardWebhooksScheme({
  name: "replicate",
  prefix: "webhook",
  title: "Replicate",
  type: "body:status",
  promisesType: "promised",
});

export const facts: SchemeFacts = {
  keyFrom: "Replicate API, `GET /v1/webhooks/default/secret` (`whsec_…`).",
  confidence: "confirmed",
  source: "https://replicate.com/docs/topics/webhooks/verify-webhook",
  promises: { source: "https://replicate.com/docs/topics/webhooks/receive-webhook" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
