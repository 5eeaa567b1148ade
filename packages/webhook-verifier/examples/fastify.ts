import { type HandleDelivery, handleNodeWebhook, type Verifier } from "@postern/webhook-verifier";
import type { FastifyInstance } from "fastify";

/**
 * Fastify: `app.register(webhook("/webhooks/stripe", verifier, handle))`. Inside this plugin no
 * parser reads the body; the rest of the application keeps its parsers.
 */
export const webhook = (path: string, verifier: Verifier, handle: HandleDelivery<unknown>) => {
  const receive = handleNodeWebhook(verifier, handle, { origin: "https://hooks.example.com" });
  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, done) => done(null));
    app.all(path, (request, reply) => {
      reply.hijack();
      return receive(request.raw, reply.raw);
    });
  };
};
