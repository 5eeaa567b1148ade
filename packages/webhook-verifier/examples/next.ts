import { type HandleDelivery, handleWebhook, type Verifier } from "@postern/webhook-verifier";

/**
 * A Next route handler, in `app/webhooks/stripe/route.ts`, on either runtime: `export const POST =
 * webhook(verifier, handle);` and, for senders that ask by GET first, `export const GET = POST;`
 */
export const webhook = (
  verifier: Verifier,
  handle: HandleDelivery<unknown>,
): ((request: Request) => Promise<Response>) => handleWebhook(verifier, handle);
