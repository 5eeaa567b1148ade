import type { Answer } from "@postern/core";

/** A request to an endpoint outside `/api`. Only its size and its syntax have been checked. */
export interface RootedRequest {
  readonly id: string;
  /** A HEAD request arrives as GET. */
  readonly method: "GET" | "POST";
  /** What comes before the path: the mount path and the base path. Often empty. */
  readonly root: string;
  /** The network address of the caller. */
  readonly address: string;
  /** The caller's program, as in `RequestFacts`. */
  readonly agent: string;
  /** The value of a header; `undefined` if it is absent or was sent more than once. */
  header(name: string): string | undefined;
  /** @throws AppError `invalid_parameter` for a parameter that is given more than once. */
  query(): ReadonlyMap<string, string>;
  /**
   * The fields of the form in the body.
   * @throws AppError `unsupported_media_type`, `content_too_large`, or `bad_request` for a
   *   malformed form or a repeated field.
   */
  form(): Promise<ReadonlyMap<string, string>>;
}

/**
 * Something that other standards give a path of its own outside `/api`, such as `/oauth/token`. It
 * has no version and is in no OpenAPI document.
 */
export interface RootedEndpoint {
  /** Below the root: `/oauth/token`. */
  readonly path: string;
  readonly methods: readonly RootedRequest["method"][];
  /**
   * True if the endpoint can also be found in front of the root, as RFC 8414, section 3.1,
   * requires.
   */
  readonly wellKnown?: boolean;
  /** Never throws: failures have the form that the endpoint's standard prescribes. */
  answer(request: RootedRequest): Promise<Answer>;
}
