import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Render signs like `standard-webhooks`, with the headers `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`. The timestamp, in seconds, may be at most 300 s from now.
 * @see https://github.com/render-examples/webhook-discord-bot/blob/main/app.ts
 */
export const render: Scheme = standardWebhooksScheme({
  name: "render",
  prefix: "webhook",
  title: "Render",
  promisesType: "promised",
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["webhook-id", "webhook-timestamp", "webhook-signature"],
  signed: "{id}.{timestamp}.{body}",
  encoding: "base64",
  keyFrom: "Render dashboard, Integrations, Webhooks, the webhook's signing secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://github.com/render-examples/webhook-discord-bot/blob/main/app.ts",
  promises: { source: "https://render.com/docs/webhooks" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
