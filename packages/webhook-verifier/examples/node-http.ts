import type { RequestListener } from "node:http";
import { type HandleDelivery, handleNodeWebhook, type Verifier } from "@postern/webhook-verifier";

/**
 * Plain `node:http`: `createServer(webhook(verifier, handle))`. `origin` is the address that the
 * sender calls.
 */
export const webhook = (verifier: Verifier, handle: HandleDelivery<unknown>): RequestListener => {
  const receive = handleNodeWebhook(verifier, handle, { origin: "https://hooks.example.com" });
  // `node:http` ignores the promise, which never rejects.
  return (request, response) => void receive(request, response);
};
