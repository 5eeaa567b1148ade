import type { Scheme } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Replicate: signs as `standard-webhooks` does, with the headers `webhook-id`, `webhook-timestamp`
 * and `webhook-signature`.
 */
export const replicate: Scheme = standardWebhooksScheme({
  name: "replicate",
  prefix: "webhook",
  facts: {
    title: "Replicate",
    keyFrom: "Replicate API, `GET /v1/webhooks/default/secret` (`whsec_…`).",
    confidence: "confirmed",
    source: "https://replicate.com/docs/topics/webhooks/verify-webhook",
  },
  type: "body:status",
});
