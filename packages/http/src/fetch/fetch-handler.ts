import type { AnswerStream } from "@postern/core";
import { bodyWasRead } from "../body/read-bytes.ts";
import { createGateway, type Gateway } from "../gateway.ts";
import type { HttpApp } from "../http-app.ts";
import { type BodyReader, CallerGone, type HttpRequest } from "../http-request.ts";
import type { HttpOptions } from "../options.ts";

/** What a `Request` does not contain. */
export interface FetchContext {
  /** The caller's network address, for limits and the log. Without it, all callers count as one. */
  readonly address?: string;
}

/** Answers a `Request` with a `Response`; never rejects. */
export type FetchHandler = (request: Request, context?: FetchContext) => Promise<Response>;

/** The status for a caller that has gone. It is logged, but nobody receives it. */
const callerGone = 499;

/**
 * Postern for runtimes that give you a `Request` and take a `Response`: Hono, a Next.js route
 * handler, and others. It answers every path; set the base path in the options. The runtime owns
 * the connection, so it also sets time-outs and the size of headers.
 * @throws TypeError for options that cannot work.
 */
export const fetchHandler = (app: HttpApp, options: HttpOptions = {}): FetchHandler =>
  gatewayFetch(createGateway(app, options));

/** The same for a gateway that several adapters share. */
export const gatewayFetch =
  (gateway: Gateway): FetchHandler =>
  async (request, { address = "unknown" } = {}) => {
    const exchange = gateway.open(fetchRequest(request, address));
    const answer = await gateway.answer(exchange);
    gateway.log(exchange, answer);
    if (answer === undefined) return new Response(null, { status: callerGone });
    const { status, headers, body, stream } = answer;
    if (stream !== undefined && request.method !== "HEAD") {
      return new Response(streamedBody(stream), { status, headers });
    }
    // An empty text would be answered as `text/plain`.
    const sent = request.method === "HEAD" || body === "" ? null : body;
    return new Response(sent ?? null, { status, headers });
  };

/** The body of an answer that is made while it is sent; each piece when the one before was taken. */
const streamedBody = (stream: AnswerStream): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (body) => {
        const text = await stream.next();
        if (text === undefined) body.close();
        else body.enqueue(encoder.encode(text));
      },
      cancel: () => stream.end(),
    },
    { highWaterMark: 0 },
  );
};

const fetchRequest = (request: Request, address: string): HttpRequest => {
  const { protocol, host, pathname, search } = new URL(request.url);
  const headers: Record<string, string> = { host };
  for (const [name, value] of request.headers) headers[name] = value;
  // A `Request` made in code has no content-length.
  if (request.body !== null && headers["content-length"] === undefined) headers["transfer-encoding"] ??= "chunked";
  return {
    method: request.method,
    target: pathname + search,
    mountPath: "",
    httpVersion: "1.1",
    headers,
    rawHeaders: Object.entries(headers).flat(),
    scheme: protocol === "https:" ? "https" : "http",
    address,
    body: { read: (reader) => readBody(request, reader) },
  };
};

const readBody = async (request: Request, taker: BodyReader): Promise<void> => {
  if (request.bodyUsed) throw bodyWasRead();
  if (request.body === null) return;
  const reader = request.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new CallerGone("the body broke off", { cause });
      });
      if (done) return;
      const room = taker.take(value);
      if (room !== undefined) await room;
    }
  } catch (thrown) {
    // The rest of the body is not needed. The runtime decides what happens to the connection.
    await reader.cancel().catch(() => undefined);
    throw thrown;
  }
};
