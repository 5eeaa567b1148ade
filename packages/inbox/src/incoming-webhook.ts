/** A webhook as it arrived. */
export interface IncomingWebhook {
  readonly provider: string;
  readonly method: string;
  /** Absolute, as the sender called it. Some schemes sign it. */
  readonly url: string;
  /** Lower-case names; a repeated header as an array. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * The fields after the body, in the same form. RFC 9421 can sign them (`tr`). Absent where the
   * runtime does not give them.
   */
  readonly trailers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  /** The body, byte for byte. */
  readonly body: Uint8Array;
  /**
   * Unpacks the body, within the bounds of the adapter, and hands on the webhook without its coding.
   * Present if the body came in a content coding.
   * @throws AppError for a body that is not whole, or holds too much.
   */
  readonly unpack?: (<Result>(take: (unpacked: IncomingWebhook) => Promise<Result>) => Promise<Result>) | undefined;
  readonly requestId: string;
  /** The network address of the sender, if it is known, for the log. */
  readonly address?: string | undefined;
  /**
   * True if a refusal should not be logged: the address has had many, and only their sum is logged.
   */
  readonly quiet?: boolean;
  /**
   * Ends a turn of the event loop, so that other requests are answered in between. Only for a long
   * webhook: to verify it, to digest it and to read it takes milliseconds each.
   */
  readonly pause?: (() => Promise<void>) | undefined;
}
