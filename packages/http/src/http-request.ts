import type { AnswerStream } from "@postern/core";

/**
 * Header names in lower case. A header that was repeated is one text, joined with commas, or an
 * array.
 */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * One HTTP request as an adapter hands it over: plain data, and one way to read the body. Nothing
 * in it has been checked.
 */
export interface HttpRequest {
  readonly method: string;
  /**
   * The part of the request line between method and protocol: `/api?x=1`, `http://host/api` or `*`.
   */
  readonly target: string;
  /**
   * The prefix of `target` that belongs to the host application: `/x` below Express `use("/x", …)`.
   * Empty if there is none.
   */
  readonly mountPath: string;
  /** `1.1`. Only a request of HTTP/1.0 may come without `Host`. */
  readonly httpVersion: string;
  readonly headers: Headers;
  /** Names and values in turn, as they came over the wire; it shows which headers were repeated. */
  readonly rawHeaders: readonly string[];
  readonly scheme: "http" | "https";
  /** The address of the other end of the connection. Callers without one share `unknown`. */
  readonly address: string;
  readonly body: RequestBodySource;
  /** True once nothing can be sent to the caller any more. Absent where the runtime does not tell. */
  readonly isGone?: boolean;
}

/** Where the bytes of a body come from. */
export interface RequestBodySource {
  /**
   * Hands over the body piece by piece and resolves at its end. When `take` throws, reading stops
   * and rejects with the same error. May be called once.
   * @throws CallerGone when the caller went away before the end.
   * @throws AppError `internal_error` when something else has read the body before.
   */
  read(reader: BodyReader): Promise<void>;
  /**
   * The fields that came after the body, names and values in turn. Complete once `read` has
   * resolved. Absent if the runtime does not give them, as with a `Request`.
   */
  trailers?(): readonly string[];
}

/** Receives the bytes of a body. */
export interface BodyReader {
  /**
   * A promise if there is no room yet for what follows: hand over nothing more until it resolves. If
   * it rejects, reading stops and rejects with the same error.
   */
  take(piece: Uint8Array): Promise<void> | undefined;
}

/** The caller went away before its request was complete. Nobody is there to read an answer. */
export class CallerGone extends Error {
  override readonly name = "CallerGone";
}

/** An answer as it goes over the wire. */
export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names; `content-length` is among them wherever the status allows a body. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * `undefined` if the status allows no body. An answer to HEAD has a body, which must not be sent.
   * A compressed body is bytes, and `content-encoding` says how it is compressed.
   */
  readonly body: string | Uint8Array | undefined;
  /** Sent in place of the body, in pieces. If you do not send it, end it. */
  readonly stream?: AnswerStream;
}
