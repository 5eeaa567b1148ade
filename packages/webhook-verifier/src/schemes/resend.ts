import type { Scheme } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * Resend: signs as `svix` does, with the headers `svix-id`, `svix-timestamp` and `svix-signature`.
 */
export const resend: Scheme = standardWebhooksScheme({
  name: "resend",
  prefix: "svix",
  facts: {
    title: "Resend",
    keyFrom: "Resend, Webhooks, the webhook's signing secret (`whsec_…`).",
    confidence: "confirmed",
    source: "https://resend.com/docs/dashboard/webhooks/verify-webhooks-requests",
  },
});
