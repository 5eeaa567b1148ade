import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Clerk: signs as `svix` does, with the headers `svix-id`, `svix-timestamp` and `svix-signature`.
 */
export const clerk: Scheme = standardWebhooksScheme({
  name: "clerk",
  prefix: "svix",
  title: "Clerk",
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["svix-id", "svix-timestamp", "svix-signature"],
  signed: "{id}.{timestamp}.{body}",
  encoding: "base64",
  keyFrom: "Clerk Dashboard, Webhooks, the endpoint's signing secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://clerk.com/docs/reference/backend/verify-webhook",
};
