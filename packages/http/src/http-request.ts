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
   * What stands between method and protocol in the request line: `/api?x=1`, `http://host/api` or
   * `*`.
   */
  readonly target: string;
  /**
   * The prefix of `target` that belongs to the host this is mounted in: `/x` below Express
   * `use("/x", …)`. Empty where there is none.
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
}

/** Where the bytes of a body come from. */
export interface RequestBodySource {
  /**
   * Hands over the body piece by piece and resolves at its end. When `take` throws, reading stops
   * and rejects with the same error. Sets the reader's `stop` first. May be called once.
   * @throws CallerGone when the caller went away before the end.
   * @throws AppError `internal_error` when something else has read the body before.
   */
  read(reader: BodyReader): Promise<void>;
  /**
   * The fields that came after the body, names and values in turn. Complete once `read` has resolved.
   * Absent where the runtime does not give them, as with a `Request`.
   */
  trailers?(): readonly string[];
}

/** What takes the bytes of a body in. */
export interface BodyReader {
  take(piece: Uint8Array): void;
  /** Ends reading with a fault, wherever it has come to. The source of the body sets it. */
  stop?: (fault: Error) => void;
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
   * `undefined` where the status allows none. An answer to HEAD has one, which must not be sent.
   * Bytes where it is compressed: `content-encoding` says how.
   */
  readonly body: string | Uint8Array | undefined;
}
