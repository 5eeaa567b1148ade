import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const portone: Scheme = standardWebhooksScheme({
  name: "portone",
  prefix: "webhook",
  title: "PortOne",
  promisesType: "usual",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "PortOne console, integration settings, webhooks of version 2, the webhook secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://github.com/portone-io/server-sdk",
  promises: { note: "Webhooks of version 2024-01-01 have no type." },
  repeats: { source: "https://github.com/portone-io/server-sdk" },
  notes: ["A webhook says only what has happened: fetch the payment from PortOne before you believe its amount."],
};
