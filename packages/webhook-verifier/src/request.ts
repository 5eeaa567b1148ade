import { refuse } from "./errors.ts";
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

const notRaw = (what: string): never =>
  refuse("body_not_raw", `${what}: signatures cover the raw bytes, take them before a parser runs.`);

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
        : body === undefined || body === null
          ? notRaw("There is no body")
          : notRaw("The body was parsed");
  return bytes.length > maxBodyBytes
    ? refuse("body_too_large", `${bytes.length} bytes; the limit is ${maxBodyBytes}.`)
    : bytes;
};

/** Reads a web `Request`. Its body can be read only once: clone it first if somebody else needs it. */
export const readRequest = async (request: RequestLike, maxBodyBytes: number): Promise<Incoming> => {
  if (request.bodyUsed === true) notRaw("The body was already read");
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBodyBytes) refuse("body_too_large", `${announced} bytes; the limit is ${maxBodyBytes}.`);
  const body = bytesOf(new Uint8Array(await request.arrayBuffer()), maxBodyBytes);
  return { method: request.method, url: request.url, headers: request.headers, body };
};
