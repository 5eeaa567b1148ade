import { refuse, WebhookVerificationError } from "./errors.ts";
import type { HeaderSource, HeadersLike } from "./headers.ts";
import { isBytes, utf8 } from "./runtime.ts";

/** A request in parts. `method` and `url` (absolute, as the sender called it) matter only to schemes that cover them. */
export interface WebhookRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: HeaderSource;
  /** The bytes that arrived, or their exact text. Never a parsed object. */
  readonly body?: Uint8Array | string | undefined;
}

/** A web `Request`, as far as used. */
export interface RequestLike {
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersLike;
  readonly bodyUsed?: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  clone?(): unknown;
}

/** A request as schemes see it: every part there, the body as bytes. */
export interface Incoming {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: HeaderSource;
  readonly body: Uint8Array;
}

export const isRequestLike = (request: WebhookRequest | RequestLike): request is RequestLike =>
  typeof (request as Partial<RequestLike>).arrayBuffer === "function";

const notRaw = (what: string, cause?: unknown): never =>
  refuse("body_not_raw", `${what}: signatures cover the raw bytes, take them before a parser runs.`, cause);

const bounded = (length: number, maxBodyBytes: number): void => {
  if (length > maxBodyBytes) refuse("body_too_large", `${length} bytes; the limit is ${maxBodyBytes}.`);
};

/**
 * The body as bytes.
 * @throws WebhookVerificationError `body_not_raw`, `body_too_large`.
 */
export const bytesOf = (body: unknown, maxBodyBytes: number): Uint8Array => {
  const bytes =
    typeof body === "string"
      ? utf8(body)
      : isBytes(body)
        ? body
        : notRaw(body === undefined || body === null ? "There is no body" : "The body was parsed");
  bounded(bytes.length, maxBodyBytes);
  return bytes;
};

const noBody = new Uint8Array(0);

/** A request given in parts. `url` is the configured address, which comes before the request's own. */
export const readParts = (
  request: WebhookRequest,
  maxBodyBytes: number,
  url: string | undefined,
  bodyOptional: boolean,
): Incoming => ({
  method: request.method,
  url: url ?? request.url,
  headers: request.headers,
  body: bodyOptional && request.body === undefined ? noBody : bytesOf(request.body, maxBodyBytes),
});

/** Reads a web `Request`; `copied` leaves the body for somebody else to read: it can be read only once. */
export const readRequest = async (
  request: RequestLike,
  maxBodyBytes: number,
  url: string | undefined,
  copied: boolean,
): Promise<Incoming> => {
  const { headers, method } = request;
  bounded(Number(headers.get("content-length")), maxBodyBytes);
  try {
    // A clone reads like the original; `clone` is absent only on requests that are not web ones.
    const copy = copied ? ((request.clone?.() ?? request) as RequestLike) : request;
    const body = new Uint8Array(await copy.arrayBuffer());
    bounded(body.length, maxBodyBytes);
    return { method, url: url ?? request.url, headers, body };
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) throw cause;
    return notRaw("The body was read before, or its sender went away", cause);
  }
};
