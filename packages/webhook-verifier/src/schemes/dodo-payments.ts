import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const dodoPayments: Scheme = standardWebhooksScheme({
  name: "dodo-payments",
  prefix: "webhook",
  title: "Dodo Payments",
  promisesType: "promised",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "Dashboard, Developer, Webhooks, the endpoint's secret key (`whsec_…`).",
  confidence: "confirmed",
  source: "https://github.com/dodopayments/dodopayments-typescript/blob/main/src/resources/webhooks/webhooks.ts",
  promises: {
    source: "https://github.com/dodopayments/dodopayments-typescript/blob/main/src/resources/webhooks/webhooks.ts",
  },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
