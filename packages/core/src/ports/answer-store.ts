/** A stored answer, encrypted so that only the server can read it. */
export interface KeptAnswer {
  /** Digest of the idempotency key and its scope, of fixed length. Up to 64 ASCII characters. */
  readonly key: string;
  /** The sealed answer. */
  readonly sealed: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Answers kept under idempotency keys. Driven port. `claim` and `keep` belong to the transaction of
 * the effect that they answer for, so that neither exists without the other.
 */
export interface AnswerStore {
  /** The answer under the key; `undefined` if there is none, or if it has expired at `now`. */
  find(key: string, now: number): Promise<KeptAnswer | undefined>;
  /**
   * Takes the key for this transaction; `false` if an answer is already kept under it. If two
   * transactions race for a key, the second waits until the first has ended.
   */
  claim(key: string, now: number): Promise<boolean>;
  /** Keeps the answer of the transaction that claimed the key. */
  keep(answer: KeptAnswer): Promise<void>;
  /**
   * Removes up to `limit` (1 to 1,000) answers that expired before `now`, and returns how many. Like
   * `Housekeeping.prune`, it does so in short transactions.
   */
  purge(now: number, limit: number): Promise<number>;
}
