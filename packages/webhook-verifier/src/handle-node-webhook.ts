import {
  answerAfter,
  checkReceiver,
  type HandleDelivery,
  type HandlerOptions,
  receive,
  refusalAnswer,
} from "./answer-webhook.ts";
import { concat } from "./bytes.ts";
import { WebhookVerificationError } from "./errors.ts";
import { isRefusal } from "./refusal.ts";
import { isBytes } from "./runtime.ts";
import type { SenderAnswer } from "./scheme.ts";
import type { Verifier } from "./verify.ts";

/**
 * The parts of a request that are used. It may come from `node:http`, Express or a function
 * platform.
 */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Express: the path before routers removed parts of it. */
  readonly originalUrl?: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** The result of a body parser, if one ran. */
  readonly body?: unknown;
  /** The bytes that Firebase and Google Cloud Functions keep beside a parsed body. */
  readonly rawBody?: unknown;
  readonly readableEnded?: boolean;
  /** Complete once the body is. */
  readonly trailers?: { readonly [name: string]: string | undefined };
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  pause(): unknown;
}

/** The parts of a response of `node:http` that are used. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/** More options of a receiver on Node. */
export interface NodeHandlerOptions extends HandlerOptions {
  /**
   * Scheme and host that the sender calls, such as `https://hooks.example.com`, for senders that
   * sign the URL. Default: made from the Host header.
   */
  readonly origin?: string | undefined;
  /** Called with what `handle` throws, except under Express. The sender is answered 500. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Reads up to the limit and leaves the rest unread, so that an answer can still be sent. */
const readBody = (request: NodeRequest, maxBodyBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    let length = 0;
    request.on("data", (chunk) => {
      length += chunk.length;
      if (length <= maxBodyBytes) pieces.push(chunk);
      else {
        request.pause();
        reject(new WebhookVerificationError("body_too_large", `More than ${maxBodyBytes} bytes.`));
      }
    });
    request.on("end", () => resolve(concat(pieces)));
    const lost = (cause?: unknown): void =>
      reject(new WebhookVerificationError("body_not_raw", "The sender went away before its body ended.", { cause }));
    request.on("error", lost);
    request.on("close", () => lost());
  });

const bodyOf = async (request: NodeRequest, maxBodyBytes: number): Promise<Uint8Array | string> => {
  for (const given of [request.rawBody, request.body]) if (isBytes(given) || typeof given === "string") return given;
  if (request.readableEnded === true)
    throw new WebhookVerificationError(
      "body_not_raw",
      "A body parser took the bytes that are signed: mount this receiver before any parser, such as express.json(), or use express.raw().",
    );
  return readBody(request, maxBodyBytes);
};

/**
 * A receiver for `node:http` and Express, mounted before any body parser:
 * `createServer(handleNodeWebhook(…))`, `app.post(path, handleNodeWebhook(…))`. It answers as
 * `handleWebhook` does. It gives what `handle` throws to Express's `next`. Without Express it
 * answers 500 and calls `onError`. Its promise never rejects.
 * @throws WebhookConfigError `setting_invalid`, at once, if the verifier or `handle` is missing.
 */
export const handleNodeWebhook = <Payload>(
  verifier: Verifier<Payload>,
  handle: HandleDelivery<Payload>,
  options: NodeHandlerOptions = {},
): ((request: NodeRequest, response: NodeResponse, next?: (error: unknown) => void) => Promise<void>) => {
  checkReceiver(verifier, handle);
  return async (request: NodeRequest, response: NodeResponse, next?: (error: unknown) => void): Promise<void> => {
    const respond = ({ status, headers, body }: SenderAnswer): void => {
      // Otherwise the unread bytes of a body that is too long would be read as the next request.
      const close = status === 413 ? { connection: "close" } : {};
      response.writeHead(status, { ...headers, ...close }).end(body);
    };
    try {
      const { method, headers, originalUrl, url = "/" } = request;
      const origin = options.origin ?? `https://${[headers.host].flat()[0] ?? "localhost"}`;
      const body = await bodyOf(request, verifier.maxBodyBytes);
      const { trailers } = request;
      const parts = { method, headers, url: origin + (originalUrl ?? url), body, trailers };
      const received = await receive(verifier, parts, options);
      respond("answer" in received ? received.answer : answerAfter(verifier, await handle(received.delivery)));
    } catch (error) {
      if (isRefusal(error)) {
        options.onRefused?.(error);
        respond(refusalAnswer(error));
      } else if (next !== undefined) next(error);
      else {
        options.onError?.(error);
        respond({ status: 500, headers: {}, body: "" });
      }
    }
  };
};
