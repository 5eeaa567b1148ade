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
   * Sent as it is, with the `content-type` in `headers`. If there is also a `body`, this is the
   * same body as JSON text.
   */
  readonly text?: string;
  /**
   * True if the same text is answered again and again, such as a document or a page. An adapter may
   * keep the bytes that it makes from the text; `etag` names the text. The text is already in the
   * requested version.
   */
  readonly isLasting?: true;
  /** Further fields for the access log: ids, names and counts only. */
  readonly log?: LogFields;
}
