import type { Delivery, Verifier } from "@postern/webhook-verifier";
import type { FastifyInstance } from "fastify";
import { answerWebhook } from "./answer.ts";

/** Fastify: `app.register(webhook("/webhooks/stripe", verifier, handle))`. The parser stays inside this plugin. */
export const webhook =
  (
    path: string,
    verifier: Verifier,
    handle: (delivery: Delivery) => Promise<void> | void,
    origin = "https://hooks.example.com",
  ) =>
  async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    app.all(path, async ({ method, headers, url, body }, reply) => {
      const bytes = body instanceof Uint8Array ? body : new Uint8Array();
      const answer = await answerWebhook(verifier, { method, headers, url: `${origin}${url}`, body: bytes }, handle);
      return reply.code(answer.status).headers(answer.headers).send(answer.body);
    });
  };
