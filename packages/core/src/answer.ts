import type { LogFields } from "./ports/telemetry.ts";

/** A body that is made while it is sent. */
export interface AnswerStream {
  /** The next piece; `undefined` at the end. Asked for when the caller has taken the one before. */
  next(): Promise<string | undefined>;
  /** Nobody takes more. A waiting `next` resolves. May be called twice. */
  end(): void;
}

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
  /** Sent as it comes, in place of `body` and `text`. If you do not send it, end it. */
  readonly stream?: AnswerStream;
  /**
   * True if the same text is answered again and again, such as a document or a page. An adapter may
   * keep the bytes that it makes from the text; `etag` names the text. The text is already in the
   * requested version.
   */
  readonly isLasting?: true;
  /** Further fields for the access log: ids, names and counts only. */
  readonly log?: LogFields;
}
