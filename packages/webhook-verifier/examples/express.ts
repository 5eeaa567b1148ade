import type { IncomingHttpHeaders } from "node:http";
import type { Delivery, Verifier } from "@postern/webhook-verifier";
import { answerWebhook } from "./answer.ts";

interface Request {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}
interface Response {
  status(code: number): Response;
  set(headers: Readonly<Record<string, string>>): Response;
  send(body: string): unknown;
}

/**
 * Express 5: `app.all("/webhooks/stripe", express.raw({ type: () => true }), webhook(verifier, handle))`, before any
 * `express.json()`: only `raw` leaves the bytes as they came.
 */
export const webhook =
  (verifier: Verifier, handle: (delivery: Delivery) => Promise<void> | void, origin = "https://hooks.example.com") =>
  async ({ method, originalUrl, headers, body }: Request, response: Response): Promise<void> => {
    const url = `${origin}${originalUrl}`;
    // `raw` leaves an empty object where there was no body.
    const bytes = body instanceof Uint8Array ? body : new Uint8Array();
    const answer = await answerWebhook(verifier, { method, headers, url, body: bytes }, handle);
    response.status(answer.status).set(answer.headers).send(answer.body);
  };
