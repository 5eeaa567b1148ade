import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const openai: Scheme = standardWebhooksScheme({
  name: "openai",
  prefix: "webhook",
  title: "OpenAI",
  promisesType: "promised",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "Platform settings, Webhooks, the endpoint's signing secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://github.com/openai/openai-node/blob/master/src/resources/webhooks/webhooks.ts",
  promises: { source: "https://github.com/openai/openai-node/blob/master/src/resources/webhooks/webhooks.ts" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
