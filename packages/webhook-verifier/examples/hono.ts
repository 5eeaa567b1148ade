import { type HandleDelivery, handleWebhook, type Verifier } from "@postern/webhook-verifier";
import type { Handler } from "hono";

/** Hono, on any runtime: `app.all("/webhooks/stripe", webhook(verifier, handle))`. */
export const webhook = (verifier: Verifier, handle: HandleDelivery<unknown>): Handler => {
  const receive = handleWebhook(verifier, handle);
  return (context) => receive(context.req.raw);
};
