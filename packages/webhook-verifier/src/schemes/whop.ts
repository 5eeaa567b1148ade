import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Whop signs like `standard-webhooks`, with the headers `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`. The timestamp, in seconds, may be at most 300 s from now. The text of the
 * secret is the key, its prefix included. It is not base64: Whop's SDK is given the text in base64
 * and decodes it again.
 * @see https://github.com/whopio/whop-nextjs-app-template/blob/main/lib/whop-sdk.ts
 */
export const whop: Scheme = standardWebhooksScheme({
  name: "whop",
  prefix: "webhook",
  title: "Whop",
  promisesType: "promised",
  data: "data",
  key: textSecret("hmac-sha256"),
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["webhook-id", "webhook-timestamp", "webhook-signature"],
  signed: "{id}.{timestamp}.{body}",
  encoding: "base64",
  keyFrom: "Whop dashboard, Developer, Webhooks, the webhook's secret (`ws_…`): the text itself is the key.",
  confidence: "confirmed",
  source: "https://github.com/whopio/whop-nextjs-app-template/blob/main/lib/whop-sdk.ts",
  repeats: { source: "https://www.npmjs.com/package/@whop/sdk" },
};
