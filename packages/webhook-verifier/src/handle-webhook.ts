import { answerAfter, checkReceiver, type HandleDelivery, type HandlerOptions, receive } from "./answer-webhook.ts";
import type { RequestLike } from "./request.ts";
import type { SenderAnswer } from "./scheme.ts";
import type { Verifier } from "./verify.ts";

/**
 * The platform's `Request`, if its types are loaded. Next.js accepts no wider parameter type in a
 * route.
 */
export type WebRequest = typeof globalThis extends { readonly Request: { readonly prototype: infer Found } }
  ? Found
  : RequestLike;

/** The platform's `Response`, if its types are loaded. */
export type WebResponse = typeof globalThis extends { readonly Response: { readonly prototype: infer Found } }
  ? Found
  : object;

// The cast states that every runtime with web requests has `Response`.
const web = globalThis as unknown as {
  readonly Response: new (body: string | null, init: Omit<SenderAnswer, "body">) => WebResponse;
};

const responseOf = ({ status, headers, body }: SenderAnswer): WebResponse =>
  // Responses with these statuses may have no body, not even an empty one. An empty body would also
  // get a content type.
  new web.Response(status === 204 || status === 304 || body === "" ? null : body, { status, headers });

/**
 * Makes a complete receiver for runtimes with web `Request` and `Response`: Next.js, Hono, Workers,
 * Deno, Bun.
 *
 * It answers the sender's handshake. When `handle` is done, it sends the `Response` that `handle`
 * returns, or the answer that the sender needs: 200 for most. It answers 401 if a delivery is not authentic, 413 if the body is too
 * long, 422 if the payload does not fit the verifier's schema, and 503 while keys cannot be
 * fetched. If `handle` throws, the error goes to your framework, which answers it; then the sender
 * tries again.
 * @throws WebhookConfigError `setting_invalid`, at once, if the verifier or `handle` is missing.
 */
export const handleWebhook = <Payload>(
  verifier: Verifier<Payload>,
  handle: HandleDelivery<Payload, WebResponse | SenderAnswer>,
  options: HandlerOptions = {},
): ((request: WebRequest) => Promise<WebResponse>) => {
  checkReceiver(verifier, handle);
  return async (request) => {
    // On every platform `Request` has these members, even if the compiler does not know its type.
    const received = await receive(verifier, request as RequestLike, options);
    if ("answer" in received) return responseOf(received.answer);
    // Every `Response` has a status, even if the compiler does not know its type.
    const answer = answerAfter(verifier, (await handle(received.delivery)) as SenderAnswer | undefined);
    // A `Response` has methods; an answer made of parts is plain data.
    return "text" in answer ? (answer as unknown as WebResponse) : responseOf(answer);
  };
};
