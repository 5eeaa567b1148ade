import type { ApiVersion, LogFields } from "./http-app.ts";
import type { HttpRequest } from "./http-request.ts";

/** What is asked for: this decides what a request waits for, and why it is refused. */
export type RequestKind = "health" | "api" | "webhook" | "page";

/** One request on the way to its answer, with the facts about it as far as they are known. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly id: string;
  readonly startedMs: number;
  /** The caller's address, for the log. */
  readonly address: string;
  /** The network whose shares the request uses: the address, or the /64 of an IPv6 address. */
  readonly network: string;
  /** `fullPath` and the query as it was sent, without scheme and authority. */
  readonly target: string;
  /**
   * The path with everything that stands in front of Postern's own paths. Unreserved characters are
   * not encoded; see `unencodedPath`.
   */
  readonly fullPath: string;
  /** The prefix of every path of Postern: the host's mount path and the base path. Often empty. */
  readonly root: string;
  /** The path below the root, which routes are found by; `undefined` for a path outside of it. */
  readonly path: string | undefined;
  /** The query without the `?`. */
  readonly search: string;
  readonly kind: RequestKind;
  /** Whether it has been decided that it runs. */
  isAdmitted: boolean;
  /** The version that answers; set for everything below `/api`. */
  version: ApiVersion | undefined;
  /** The template of the path, for the log. The path itself holds ids and is never logged. */
  route: string;
  /** The adapter's own reader of forms; `undefined` if this package reads them. */
  formReader: (() => Promise<ReadonlyMap<string, string>>) | undefined;
  /**
   * Fields that the access log has in addition: who asked, for webhooks the sender, and those that the
   * operation adds.
   */
  logged: LogFields | undefined;
  /**
   * True if something bounds how many such requests an address may send: a rate limit of the
   * application has counted the request, or it is a webhook with a valid signature.
   */
  isCounted: boolean;
  /** True if the connection ends with the answer. */
  closes: boolean;
}
