import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const standardWebhooks: Scheme = standardWebhooksScheme({
  name: "standard-webhooks",
  prefix: "webhook",
  title: "Standard Webhooks",
  promisesType: "usual",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "The sender's endpoint settings: a secret `whsec_…`, or a public key `whpk_…`.",
  confidence: "confirmed",
  source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
  promises: {
    note: "The specification recommends `type`, `timestamp` and `data`, and dictates no payload. What has no `data` is its own data.",
  },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
  notes: ["With a `whsec_` key `v1` counts (HMAC-SHA256), with a `whpk_` key `v1a` (Ed25519)."],
};
