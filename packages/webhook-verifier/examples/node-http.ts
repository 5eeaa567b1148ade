import type { IncomingMessage, RequestListener } from "node:http";
import type { Delivery, Verifier } from "@postern/webhook-verifier";
import { answerWebhook } from "./answer.ts";

const bytesOf = async (request: IncomingMessage): Promise<Uint8Array> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Plain `node:http`: `createServer(webhook(verifier, handle))`. `origin` is the address the sender calls. */
export const webhook =
  (
    verifier: Verifier,
    handle: (delivery: Delivery) => Promise<void> | void,
    origin = "https://hooks.example.com",
  ): RequestListener =>
  async (request, response) => {
    const { method, headers, url = "/" } = request;
    const body = await bytesOf(request);
    const answer = await answerWebhook(verifier, { method, headers, url: `${origin}${url}`, body }, handle);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
