import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Svix (Clerk, Resend, …): Standard Webhooks with headers named `svix-id`, `svix-timestamp` and
 * `svix-signature`.
 */
export const svix: Scheme = standardWebhooksScheme({
  name: "svix",
  prefix: "svix",
  title: "Svix",
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["svix-id", "svix-timestamp", "svix-signature"],
  signed: "{id}.{timestamp}.{body}",
  encoding: "base64",
  keyFrom: "The endpoint's signing secret (`whsec_…`) in the sender's dashboard.",
  confidence: "confirmed",
  source: "https://docs.svix.com/receiving/verifying-payloads/how-manual",
  notes: ["Newer senders on Svix use the `webhook-…` headers: take `standard-webhooks` for those."],
};
