import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const brex: Scheme = standardWebhooksScheme({
  name: "brex",
  prefix: "webhook",
  title: "Brex",
  type: "body:event_type",
  promisesType: "promised",
});

export const facts: SchemeFacts = {
  keyFrom: "Brex API, `GET /v1/webhooks/secrets`; a secret is base64 without a prefix.",
  confidence: "second-hand",
  source: "https://developer.brex.com/docs/webhooks",
  promises: { source: "https://developer.brex.com/docs/webhooks" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
  notes: ["Brex lists the old and the new secret while one is rotated: give both."],
};
