import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Anthropic signs like `standard-webhooks`, with the headers `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`. The timestamp, in seconds, may be at most 300 s from now. The `type` of
 * every body is `event`, and that of the event is in its data.
 * @see https://platform.claude.com/docs/en/api/beta/webhooks/unwrap
 */
export const anthropic: Scheme = standardWebhooksScheme({
  name: "anthropic",
  prefix: "webhook",
  title: "Anthropic",
  type: "body:data.type",
  promisesType: "promised",
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["webhook-id", "webhook-timestamp", "webhook-signature"],
  signed: "{id}.{timestamp}.{body}",
  encoding: "base64",
  keyFrom: "Claude Console, the webhook endpoint's signing key (`whsec_…`): shown once, when the endpoint is made.",
  confidence: "confirmed",
  source: "https://platform.claude.com/docs/en/api/beta/webhooks/unwrap",
  repeats: { source: "https://platform.claude.com/docs/en/api/beta/webhooks/unwrap" },
};
