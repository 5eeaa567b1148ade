import type { IncomingMessage, ServerResponse } from "node:http";
import { type HandleDelivery, handleNodeWebhook, type Verifier } from "@postern/webhook-verifier";

interface Context {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  respond?: boolean;
}

/** Koa: `app.use(webhook(verifier, handle))` on the route, before any body parser. */
export const webhook = (verifier: Verifier, handle: HandleDelivery<unknown>) => {
  const receive = handleNodeWebhook(verifier, handle, { origin: "https://hooks.example.com" });
  return async (context: Context): Promise<void> => {
    // The receiver writes the response itself.
    context.respond = false;
    await receive(context.req, context.res);
  };
};
