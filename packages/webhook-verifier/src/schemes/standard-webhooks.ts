import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Standard Webhooks (OpenAI, Replicate, Supabase, …) sign `<webhook-id>.<webhook-timestamp>.<body>`
 * and send `webhook-signature: v1,<base64>[ v1a,<base64>…]`. With a `whsec_` key `v1` counts
 * (HMAC-SHA256), with a `whpk_` key `v1a` (Ed25519). The timestamp, in seconds, may be at most 300
 * s from now.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const standardWebhooks: Scheme = standardWebhooksScheme({
  name: "standard-webhooks",
  prefix: "webhook",
  title: "Standard Webhooks",
  promisesType: "usual",
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["webhook-id", "webhook-timestamp", "webhook-signature"],
  signed: "{id}.{timestamp}.{body}",
  encoding: "base64",
  keyFrom: "The sender's endpoint settings: a secret `whsec_…`, or a public key `whpk_…`.",
  confidence: "confirmed",
  source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
  promises: {
    note: "The specification recommends `type`, `timestamp` and `data`, and dictates no payload. What has no `data` is its own data.",
  },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
