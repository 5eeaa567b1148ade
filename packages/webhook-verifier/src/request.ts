import { refuse, WebhookVerificationError } from "./errors.ts";
import type { HeaderSource, HeadersLike } from "./headers.ts";
import { isBytes, type MaybePromise, utf8 } from "./runtime.ts";

/** A request in parts. `method` and `url` (absolute, as the sender called it) matter only to schemes that cover them. */
export interface WebhookRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: HeaderSource;
  /** The bytes that arrived, or their exact text. Never a parsed object. */
  readonly body?: Uint8Array | string | undefined;
}

/** A web stream of bytes, as far as used. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(): Promise<unknown>;
  };
}

/** A web `Request`, as far as used. */
export interface RequestLike {
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersLike;
  /** Read piece by piece, so that no more than the limit is kept. Without it the body is read with `arrayBuffer`. */
  readonly body?: ByteStream | null;
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

/** How a request is read. */
export interface ReadOptions {
  /** Longest body accepted, in bytes. */
  readonly maxBodyBytes: number;
  /** The configured address, which comes before the request's own. */
  readonly url: string | undefined;
  /** For handshakes: a request without a body is read as an empty one, and a web `Request` is cloned first. */
  readonly forHandshake: boolean;
}

const isText = (value: unknown): boolean => value === undefined || typeof value === "string";

const notRaw = (what: string, cause?: unknown): never =>
  refuse("body_not_raw", `${what}: signatures cover the raw bytes, take them before a parser runs.`, cause);

const bounded = (length: number, maxBodyBytes: number): void => {
  if (length > maxBodyBytes) refuse("body_too_large", `More than ${maxBodyBytes} bytes.`);
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

/** Reads a stream to its end and cancels it when it exceeds the limit. Keeps one array, so that tiny pieces cost no more. */
const readStream = async (stream: ByteStream, maxBodyBytes: number): Promise<Uint8Array> => {
  const reader = stream.getReader();
  let bytes = noBody;
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, length);
    // Streams of bytes give nothing else; of anything else `set` below makes an error.
    const piece = value as Uint8Array;
    const end = length + piece.length;
    if (end > maxBodyBytes) {
      // Not waited for: a source that never finishes cancelling must not hold the answer back.
      reader.cancel().catch(() => undefined);
      bounded(end, maxBodyBytes);
    }
    if (end > bytes.length) {
      const longer = new Uint8Array(2 * end);
      longer.set(bytes.subarray(0, length));
      bytes = longer;
    }
    bytes.set(piece, length);
    length = end;
  }
};

/** Reads a web `Request`. */
const readRequest = async (request: RequestLike, options: ReadOptions): Promise<Incoming> => {
  const { maxBodyBytes, url, forHandshake } = options;
  const { headers, method } = request;
  try {
    bounded(Number(headers.get("content-length")), maxBodyBytes);
    if (request.bodyUsed) throw new TypeError("read before");
    // A clone reads like the original; `clone` is absent only on requests that are not web ones.
    const copy = forHandshake ? ((request.clone?.() ?? request) as RequestLike) : request;
    const body = copy.body ? await readStream(copy.body, maxBodyBytes) : new Uint8Array(await copy.arrayBuffer());
    bounded(body.length, maxBodyBytes);
    return { method, url: url ?? request.url, headers, body };
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) throw cause;
    return notRaw("The body was read before, or its sender went away", cause);
  }
};

/**
 * Reads a request, given in parts or as a web `Request`.
 * @throws WebhookVerificationError `request_incomplete` for anything else, `body_not_raw`, `body_too_large`.
 */
export const readIncoming = (request: WebhookRequest | RequestLike, options: ReadOptions): MaybePromise<Incoming> => {
  // A caller without types can give anything at all.
  if (
    typeof request?.headers !== "object" ||
    request.headers === null ||
    !isText(request.method) ||
    !isText(request.url)
  )
    return refuse("request_incomplete", "Give a Request or its parts.");
  if (typeof (request as Partial<RequestLike>).arrayBuffer === "function")
    return readRequest(request as RequestLike, options);
  const { method, url, headers, body } = request as WebhookRequest;
  return {
    method,
    url: options.url ?? url,
    headers,
    body: options.forHandshake && body === undefined ? noBody : bytesOf(body, options.maxBodyBytes),
  };
};
