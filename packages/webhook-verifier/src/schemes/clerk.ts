import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const clerk: Scheme = standardWebhooksScheme({
  name: "clerk",
  prefix: "svix",
  title: "Clerk",
  promisesType: "promised",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "Clerk Dashboard, Webhooks, the endpoint's signing secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://clerk.com/docs/reference/backend/verify-webhook",
  promises: { source: "https://clerk.com/docs/guides/development/webhooks/overview" },
  repeats: { source: "https://docs.svix.com/receiving/verifying-payloads/how-manual", confidence: "second-hand" },
};
