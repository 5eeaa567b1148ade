import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const svix: Scheme = standardWebhooksScheme({
  name: "svix",
  prefix: "svix",
  title: "Svix",
  promisesType: "usual",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "The endpoint's signing secret (`whsec_…`) in the sender's dashboard.",
  confidence: "confirmed",
  source: "https://docs.svix.com/receiving/verifying-payloads/how-manual",
  promises: { note: "The sender chooses the payload, and Svix puts no type into it." },
  repeats: { source: "https://docs.svix.com/receiving/verifying-payloads/how-manual" },
  notes: ["Newer senders on Svix use the `webhook-…` headers: take `standard-webhooks` for those."],
};
