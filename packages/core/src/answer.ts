import type { LogFields } from "./ports/telemetry.ts";

/** What an operation answers. An adapter turns it into a response of its protocol. */
export interface Answer {
  /** An HTTP status. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. Without `body` and `text` the response has no body. */
  readonly body?: unknown;
  /**
   * Sent as it is, with the `content-type` in `headers`. If there is a `body`, too, this is that
   * body as JSON text.
   */
  readonly text?: string;
  /**
   * True if the same text is answered again and again: a document, a page. An adapter may keep what
   * it makes of it. Its `etag` says which text it is. It is in the requested version already.
   */
  readonly isLasting?: true;
  /** Further fields for the access log: ids, names and counts only. */
  readonly log?: LogFields;
}
