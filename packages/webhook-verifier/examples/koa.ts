import type { IncomingMessage } from "node:http";
import type { Delivery, Verifier } from "@postern/webhook-verifier";
import { answerWebhook } from "./answer.ts";

interface Context {
  readonly method: string;
  readonly originalUrl: string;
  readonly req: IncomingMessage;
  status: number;
  body: unknown;
  set(headers: Readonly<Record<string, string>>): void;
}

/** Koa: `app.use(webhook(verifier, handle))` on the route, before any body parser. */
export const webhook =
  (verifier: Verifier, handle: (delivery: Delivery) => Promise<void> | void, origin = "https://hooks.example.com") =>
  async (context: Context): Promise<void> => {
    const { method, originalUrl, req } = context;
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const request = { method, headers: req.headers, url: `${origin}${originalUrl}`, body: Buffer.concat(chunks) };
    const answer = await answerWebhook(verifier, request, handle);
    context.status = answer.status;
    context.set(answer.headers);
    context.body = answer.body;
  };
