import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const render: Scheme = standardWebhooksScheme({
  name: "render",
  prefix: "webhook",
  title: "Render",
  promisesType: "promised",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "Render dashboard, Integrations, Webhooks, the webhook's signing secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://github.com/render-examples/webhook-discord-bot/blob/main/app.ts",
  promises: { source: "https://render.com/docs/webhooks" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
