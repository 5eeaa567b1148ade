import type { Scheme } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Seam: signs as `svix` does, with the headers `svix-id`, `svix-timestamp` and `svix-signature`.
 */
export const seam: Scheme = standardWebhooksScheme({
  name: "seam",
  prefix: "svix",
  facts: {
    title: "Seam",
    keyFrom: "Seam Console, Developer, Webhooks, the endpoint's signing secret (`whsec_…`).",
    confidence: "confirmed",
    source: "https://github.com/seamapi/javascript-webhook",
  },
  type: "body:event_type",
});
