import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Svix (Clerk, Resend, …) signs like `standard-webhooks`, with the headers `svix-id`,
 * `svix-timestamp` and `svix-signature`. The timestamp, in seconds, may be at most 300 s from now.
 * @see https://docs.svix.com/receiving/verifying-payloads/how-manual
 */
export const svix: Scheme = standardWebhooksScheme({
  name: "svix",
  prefix: "svix",
  title: "Svix",
  promisesType: "usual",
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
  promises: { note: "The sender chooses the payload, and Svix puts no type into it." },
  repeats: { source: "https://docs.svix.com/receiving/verifying-payloads/how-manual" },
  notes: ["Newer senders on Svix use the `webhook-…` headers: take `standard-webhooks` for those."],
};
