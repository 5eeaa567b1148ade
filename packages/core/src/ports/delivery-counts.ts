/** What became of a delivery. All but `refused`, `busy` and `too_large` had a valid signature and were stored. */
export type DeliveryResult =
  | "accepted"
  | "duplicate"
  | "ignored"
  | "quarantined"
  /** The signature did not hold; `reason` says why. */
  | "refused"
  /** Too much waited, or the storage was away: the sender was asked to try again. */
  | "busy"
  | "too_large";

/** Deliveries of one sender in one minute that ended in the same way. */
export interface DeliveryCount {
  /** The minute's first millisecond since the epoch. */
  readonly minute: number;
  /** The sender's name, up to 64 ASCII characters. */
  readonly provider: string;
  readonly result: DeliveryResult;
  /** The code of the refusal, up to 64 ASCII characters; empty for other results. */
  readonly reason: string;
  /** How many: 1 or more. */
  readonly deliveries: number;
}

/** The same, summed over some minutes. */
export interface DeliverySum extends Omit<DeliveryCount, "minute"> {
  /** The first and the last minute in which there was one. */
  readonly firstMinute: number;
  readonly lastMinute: number;
}

/**
 * How many webhooks came, minute by minute. Every process adds a few rows a minute, whatever the
 * traffic. Driven port; `deliveryCountsContract` is its definition in code.
 */
export interface DeliveryCounts {
  /** Adds to what this or another process counted before. Either all of it is added or nothing. */
  add(counts: readonly DeliveryCount[]): Promise<void>;
  /**
   * The sums of the minutes from `since` (milliseconds since the epoch) on, by sender, result and
   * reason; most deliveries first, at most `limit` (1 to 1,000).
   */
  sums(query: { readonly since: number; readonly limit: number }): Promise<readonly DeliverySum[]>;
  /**
   * Deletes the oldest counts of minutes before `before` (milliseconds since the epoch): `limit` (1 to
   * 1,000) of them if there are so many, and the rest of the last minute. Returns how many.
   */
  prune(before: number, limit: number): Promise<number>;
}
