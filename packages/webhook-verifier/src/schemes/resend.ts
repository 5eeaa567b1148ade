import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const resend: Scheme = standardWebhooksScheme({
  name: "resend",
  prefix: "svix",
  title: "Resend",
  promisesType: "promised",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "Resend, Webhooks, the webhook's signing secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://resend.com/docs/dashboard/webhooks/verify-webhooks-requests",
  promises: { source: "https://resend.com/docs/dashboard/webhooks/event-types" },
  repeats: { source: "https://docs.svix.com/receiving/verifying-payloads/how-manual", confidence: "second-hand" },
};
