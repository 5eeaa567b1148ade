import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Replicate signs like `standard-webhooks`, with the headers `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`. The timestamp, in seconds, may be at most 300 s from now.
 * @see https://replicate.com/docs/topics/webhooks/verify-webhook
 */
export const replicate: Scheme = standardWebhooksScheme({
  name: "replicate",
  prefix: "webhook",
  title: "Replicate",
  type: "body:status",
  promisesType: "promised",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["webhook-id", "webhook-timestamp", "webhook-signature"],
  signed: "{id}.{timestamp}.{body}",
  encoding: "base64",
  keyFrom: "Replicate API, `GET /v1/webhooks/default/secret` (`whsec_…`).",
  confidence: "confirmed",
  source: "https://replicate.com/docs/topics/webhooks/verify-webhook",
  promises: { source: "https://replicate.com/docs/topics/webhooks/receive-webhook" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
