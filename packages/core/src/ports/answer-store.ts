/** An answer as it is kept: readable by nobody but the server. */
export interface KeptAnswer {
  /** Fixed-length digest of the idempotency key and its scope. Up to 64 ASCII characters. */
  readonly key: string;
  /** The sealed answer. */
  readonly sealed: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Answers kept under idempotency keys. Driven port. `claim` and `keep` stand in the transaction of the effect that they answer for, so that there is
 * never one without the other.
 */
export interface AnswerStore {
  /** What is kept under the key; `undefined` when nothing is, or not any more at `now`. */
  find(key: string, now: number): Promise<KeptAnswer | undefined>;
  /**
   * Takes the key for this transaction; `false` when an answer is kept under it already. Of two transactions that race for a key the second one waits
   * for the end of the first.
   */
  claim(key: string, now: number): Promise<boolean>;
  /** Keeps the answer of the transaction that claimed the key. */
  keep(answer: KeptAnswer): Promise<void>;
  /** Removes up to `limit` (1 to 1,000) answers that expired before `now`; how many. */
  purge(now: number, limit: number): Promise<number>;
}
