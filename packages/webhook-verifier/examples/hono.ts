import type { Delivery, Verifier } from "@postern/webhook-verifier";
import type { Context } from "hono";
import { answerWebhook } from "./answer.ts";

/** Hono, on any runtime: `app.all("/webhooks/stripe", webhook(verifier, handle))`. */
export const webhook =
  (verifier: Verifier, handle: (delivery: Delivery) => Promise<void> | void) =>
  async (context: Context): Promise<Response> => {
    const { status, headers, body } = await answerWebhook(verifier, context.req.raw, handle);
    return new Response(status === 204 ? null : body, { status, headers });
  };
