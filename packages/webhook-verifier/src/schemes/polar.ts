import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const polar: Scheme = standardWebhooksScheme({
  name: "polar",
  prefix: "webhook",
  title: "Polar",
  promisesType: "promised",
  data: "data",
  key: textSecret("hmac-sha256"),
});

export const facts: SchemeFacts = {
  keyFrom: "Polar, the organisation, Settings, Webhooks, the endpoint's secret: the text itself is the key.",
  confidence: "confirmed",
  source: "https://github.com/polarsource/polar-js/blob/main/src/webhooks.ts",
  promises: { source: "https://github.com/polarsource/polar-js/blob/main/src/webhooks.ts" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
  notes: ["The text of the secret is the key. It is not base64, whatever it looks like."],
};
