import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const lithic: Scheme = standardWebhooksScheme({
  name: "lithic",
  prefix: "webhook",
  title: "Lithic",
  type: "body:event_type",
  promisesType: "usual",
});

export const facts: SchemeFacts = {
  keyFrom: "Lithic dashboard or API, the event subscription's secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://github.com/lithic-com/lithic-node/blob/main/src/resources/webhooks.ts",
  promises: { source: "https://github.com/lithic-com/lithic-node/blob/main/src/resources/webhooks.ts" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
