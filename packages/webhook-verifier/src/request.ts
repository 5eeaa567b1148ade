import { refuse, WebhookVerificationError } from "./errors.ts";
import type { HeaderSource, HeadersLike } from "./headers.ts";
import { isBuffer, isBytes, type MaybePromise, utf8 } from "./runtime.ts";

/** A request without its body. `url` is absolute, as the sender called it. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: HeaderSource;
  /**
   * The fields after the body, such as `trailers` of a `node:http` message. Only RFC 9421 can sign
   * them (`tr`).
   */
  readonly trailers?: HeaderSource | undefined;
}

/**
 * A request in parts. `method` and `url` matter only to schemes that cover them. For RFC 9421 it
 * can also be a response to a request of yours: then give `status` and `request`, and neither
 * `method` nor `url`.
 */
export interface WebhookRequest extends RequestHead {
  /** The bytes that arrived, or their exact text. Never a parsed object. */
  readonly body?: Uint8Array | string | undefined;
  /** The status code of a response. */
  readonly status?: number | undefined;
  /**
   * The request that a response answers, as you sent it. Components with `req` are read from it.
   * Nothing else in it is checked, so take it from your own records, never from the response.
   */
  readonly request?: RequestHead | undefined;
}

/**
 * A request in parts, as a verifier takes it: its headers may also be pairs of name and value, and
 * its body an `ArrayBuffer`.
 */
export interface ReceivedRequest extends Omit<WebhookRequest, "body" | "headers"> {
  readonly headers: HeaderSource | readonly (readonly [name: string, value: string])[];
  readonly body?: WebhookRequest["body"] | ArrayBuffer;
}

/** The parts of a web stream of bytes that are used. */
interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(): Promise<unknown>;
  };
}

/** The parts of a web `Request` that are used. */
export interface RequestLike {
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersLike;
  /**
   * The body as a stream, which is read piece by piece, so that no more than the limit is kept.
   * Without it the body is read with `arrayBuffer`.
   */
  readonly body?: ByteStream | null;
  readonly bodyUsed?: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  clone?(): unknown;
}

/** A message as schemes see it: the body as bytes. */
export interface Incoming {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: HeaderSource;
  readonly body: Uint8Array;
  /**
   * The message in the parts that you gave. `undefined` for a web `Request`, which has no trailers
   * and is no response.
   */
  readonly parts?: WebhookRequest;
}

const notRaw = (cause?: unknown): never =>
  refuse("body_not_raw", "Pass the raw bytes: the body is missing, read, parsed or cut off.", cause);

const bounded = (length: number, maxBodyBytes: number): void => {
  if (length > maxBodyBytes) refuse("body_too_large", `More than ${maxBodyBytes} bytes.`);
};

/**
 * The body as bytes.
 * @throws WebhookVerificationError `body_not_raw`, `body_too_large`.
 */
export const bytesOf = (body: unknown, maxBodyBytes: number): Uint8Array => {
  const bytes =
    typeof body === "string" ? utf8(body) : isBytes(body) ? body : isBuffer(body) ? new Uint8Array(body) : notRaw();
  bounded(bytes.length, maxBodyBytes);
  return bytes;
};

const noBody = new Uint8Array(0);

/**
 * Reads a stream to its end, and cancels it when it exceeds the limit. It keeps one array, so that
 * tiny pieces cost no more.
 */
const readStream = async (stream: ByteStream, maxBodyBytes: number): Promise<Uint8Array> => {
  const reader = stream.getReader();
  let bytes = noBody;
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, length);
    // Streams of bytes return nothing else. For anything else `set` below throws.
    const piece = value as Uint8Array;
    const end = length + piece.length;
    if (end > maxBodyBytes) {
      // Nothing waits for this: a source that never finishes cancelling must not delay the answer.
      reader.cancel().catch(() => undefined);
      bounded(end, maxBodyBytes);
    }
    if (end > bytes.length) {
      const shorter = bytes;
      bytes = new Uint8Array(2 * end);
      bytes.set(shorter);
    }
    bytes.set(piece, length);
    length = end;
  }
};

/** Reads a web `Request`. */
const readRequest = async (
  request: RequestLike,
  maxBodyBytes: number,
  url: string | undefined,
  forHandshake: boolean,
): Promise<Incoming> => {
  const { headers, method } = request;
  try {
    bounded(Number(headers.get("content-length")), maxBodyBytes);
    if (request.bodyUsed) notRaw();
    // A clone reads like the original. Only requests that are not web requests lack `clone`.
    const copy = forHandshake ? ((request.clone?.() ?? request) as RequestLike) : request;
    const body = bytesOf(await (copy.body ? readStream(copy.body, maxBodyBytes) : copy.arrayBuffer()), maxBodyBytes);
    return { method, url: url ?? request.url, headers, body };
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) throw cause;
    return notRaw(cause);
  }
};

/** Headers that were given as pairs. A name that comes twice has both values. */
const fromPairs = (pairs: readonly unknown[]): HeaderSource => {
  // Without a prototype, a header may have any name.
  const named: Record<string, string[]> = Object.create(null);
  for (const pair of pairs) {
    const [name, value] = Array.isArray(pair) ? pair : [];
    if (typeof name !== "string") return refuse("request_incomplete", "Give headers by name, or as pairs.");
    const key = name.toLowerCase();
    named[key] ??= [];
    named[key].push(value);
  }
  return named;
};

/** A list, a `Map` or the entries of something: `get` of a `Map` would distinguish upper and lower case. */
const isPairs = (headers: HeaderSource | Iterable<unknown>): headers is Iterable<unknown> =>
  Symbol.iterator in headers && (headers instanceof Map || typeof Reflect.get(headers, "get") !== "function");

/**
 * Reads a request, given in parts or as a web `Request`.
 * @param maxBodyBytes the longest body that is accepted, in bytes.
 * @param url the configured address. It takes precedence over the request's own.
 * @param forHandshake reads a missing body as an empty one, and clones a web `Request` first.
 * @throws WebhookVerificationError `request_incomplete` for anything else, `body_not_raw`,
 *   `body_too_large`.
 */
export const readIncoming = (
  request: ReceivedRequest | RequestLike,
  maxBodyBytes: number,
  url: string | undefined,
  forHandshake: boolean,
): MaybePromise<Incoming> => {
  // A caller without types can pass anything.
  if (
    !request?.headers ||
    typeof request.headers !== "object" ||
    (request.method !== undefined && typeof request.method !== "string") ||
    (request.url !== undefined && typeof request.url !== "string")
  )
    return refuse("request_incomplete", "Give a Request or its parts.");
  if (typeof (request as Partial<RequestLike>).arrayBuffer === "function")
    return readRequest(request as RequestLike, maxBodyBytes, url, forHandshake);
  const parts = request as WebhookRequest;
  const { method, body } = parts;
  const headers = isPairs(parts.headers) ? fromPairs([...parts.headers]) : parts.headers;
  return {
    method,
    url: url ?? parts.url,
    headers,
    body: forHandshake && body === undefined ? noBody : bytesOf(body, maxBodyBytes),
    parts,
  };
};
