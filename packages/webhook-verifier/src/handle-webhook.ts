import { accepted, type HandleDelivery, type HandlerOptions, receive } from "./answer-webhook.ts";
import type { RequestLike } from "./request.ts";
import type { HandshakeAnswer } from "./scheme.ts";
import type { Verifier } from "./verify.ts";

/** The platform's `Response`, where its types are there. */
export type WebResponse = typeof globalThis extends { readonly Response: { readonly prototype: infer Found } }
  ? Found
  : object;

// The cast says that every runtime with web requests has it.
const web = globalThis as unknown as {
  readonly Response: new (body: string | null, init: Omit<HandshakeAnswer, "body">) => WebResponse;
};

const responseOf = ({ status, headers, body }: HandshakeAnswer): WebResponse =>
  // These statuses may have no body, not even an empty one.
  new web.Response(status === 204 || status === 304 ? null : body, { status, headers });

/**
 * A receiver for whatever speaks web `Request` and `Response`: Next.js, Hono, Workers, Deno, Bun. It answers the sender's
 * handshake, 200 when `handle` is done (or with the `Response` it returns), 401 for what is not authentic, 413 for a body that is
 * too long, 422 where the payload does not fit the verifier's schema, and 503 while keys cannot be had. What `handle` throws is
 * thrown on: your framework answers it, and the sender tries again.
 */
export const handleWebhook =
  <Payload>(
    verifier: Verifier<Payload>,
    handle: HandleDelivery<Payload, WebResponse | HandshakeAnswer>,
    options: HandlerOptions = {},
  ): ((request: RequestLike) => Promise<WebResponse>) =>
  async (request) => {
    const received = await receive(verifier, request, options);
    if ("answer" in received) return responseOf(received.answer);
    const answer = (await handle(received.delivery)) ?? accepted;
    // A `Response` has methods; an answer in parts is data.
    return "text" in answer ? (answer as WebResponse) : responseOf(answer as HandshakeAnswer);
  };
