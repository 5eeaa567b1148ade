import { createVerifier, handleWebhook } from "@postern/webhook-verifier";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";

interface Env {
  readonly STRIPE_SECRET: string;
}
let receive: ((request: Request) => Promise<Response>) | undefined;

/** A Worker that verifies Stripe's webhooks, and answers 200 when your function has ended. */
export default {
  fetch: (request: Request, env: Env): Promise<Response> => {
    receive ??= handleWebhook(createVerifier(stripe, { keys: env.STRIPE_SECRET }), ({ type }) => console.log(type));
    return receive(request);
  },
};
