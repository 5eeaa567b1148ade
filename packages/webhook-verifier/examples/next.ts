import type { Delivery, Verifier } from "@postern/webhook-verifier";
import { answerWebhook } from "./answer.ts";

/**
 * A Next route handler, in `app/webhooks/stripe/route.ts`, on either runtime:
 * `export const POST = webhook(verifier, handle); export const GET = POST;`
 */
export const webhook =
  (verifier: Verifier, handle: (delivery: Delivery) => Promise<void> | void) =>
  async (request: Request): Promise<Response> => {
    const { status, headers, body } = await answerWebhook(verifier, request, handle);
    return new Response(status === 204 ? null : body, { status, headers });
  };
