import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

// The key is the text of the client secret, not base64.
export const bigcommerce: Scheme = standardWebhooksScheme({
  name: "bigcommerce",
  prefix: "webhook",
  title: "BigCommerce",
  key: textSecret("hmac-sha256"),
  type: "body:scope",
  promisesType: "promised",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "The client secret of the app or API account that made the webhook: the text itself is the key.",
  confidence: "confirmed",
  source: "https://developer.bigcommerce.com/docs/integrations/webhooks",
  promises: { source: "https://developer.bigcommerce.com/docs/integrations/webhooks" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
