import type { Scheme } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Lithic: signs as `standard-webhooks` does, with the headers `webhook-id`, `webhook-timestamp`
 * and `webhook-signature`.
 */
export const lithic: Scheme = standardWebhooksScheme({
  name: "lithic",
  prefix: "webhook",
  facts: {
    title: "Lithic",
    keyFrom: "Lithic dashboard or API, the event subscription's secret (`whsec_…`).",
    confidence: "confirmed",
    source: "https://github.com/lithic-com/lithic-node/blob/main/src/resources/webhooks.ts",
  },
  type: "body:event_type",
});
