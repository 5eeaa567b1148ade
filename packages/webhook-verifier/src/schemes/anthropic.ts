import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

// The `type` of every body is `event`; that of the event is in its data.
export const anthropic: Scheme = standardWebhooksScheme({
  name: "anthropic",
  prefix: "webhook",
  title: "Anthropic",
  type: "body:data.type",
  promisesType: "promised",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "Claude Console, the webhook endpoint's signing key (`whsec_…`): shown once, when the endpoint is made.",
  confidence: "confirmed",
  source: "https://platform.claude.com/docs/en/api/beta/webhooks/unwrap",
  repeats: { source: "https://platform.claude.com/docs/en/api/beta/webhooks/unwrap" },
};
