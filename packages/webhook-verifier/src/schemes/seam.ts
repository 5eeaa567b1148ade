import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const seam: Scheme = standardWebhooksScheme({
  name: "seam",
  prefix: "svix",
  title: "Seam",
  type: "body:event_type",
  promisesType: "promised",
});

export const facts: SchemeFacts = {
  keyFrom: "Seam Console, Developer, Webhooks, the endpoint's signing secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://github.com/seamapi/javascript-webhook",
  promises: { source: "https://github.com/seamapi/javascript-webhook" },
  repeats: { source: "https://docs.svix.com/receiving/verifying-payloads/how-manual", confidence: "second-hand" },
};
