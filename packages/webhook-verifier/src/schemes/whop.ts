import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const whop: Scheme = standardWebhooksScheme({
  name: "whop",
  prefix: "webhook",
  title: "Whop",
  promisesType: "promised",
  data: "data",
  key: textSecret("hmac-sha256"),
});

export const facts: SchemeFacts = {
  keyFrom: "Whop dashboard, Developer, Webhooks, the webhook's secret (`ws_…`): the text itself is the key.",
  confidence: "confirmed",
  source: "https://github.com/whopio/whop-nextjs-app-template/blob/main/lib/whop-sdk.ts",
  repeats: { source: "https://www.npmjs.com/package/@whop/sdk" },
  notes: [
    "The text of the secret is the key, its prefix included. It is not base64: Whop's SDK is given the text in base64 and decodes it again.",
  ],
};
