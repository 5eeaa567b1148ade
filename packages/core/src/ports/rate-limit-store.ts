export interface RateLimitRequest {
  /** Names the limit and its caller in up to 191 characters, e.g. `sign-in:address:192.0.2.1`. */
  readonly key: string;
  /** How many uses fit into one window; also the burst. */
  readonly limit: number;
  readonly windowMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /**
   * True if the limit must hold over all nodes together. A store that belongs to one node can
   * ignore it.
   */
  readonly exact?: boolean;
}

export interface RateLimitDecision {
  readonly allowed: boolean;
  /** How many uses are left right after this one. */
  readonly remaining: number;
  /** Milliseconds until the full limit is available again. */
  readonly resetMs: number;
  /** Milliseconds until one more use is allowed; 0 if this one was. */
  readonly retryAfterMs: number;
}

/**
 * Generic cell rate algorithm (ITU-T I.371) over shared state. Driven port. If two callers race for
 * the last use, only one gets it.
 */
export interface RateLimitStore {
  take(request: RateLimitRequest): Promise<RateLimitDecision>;
  /**
   * Takes one use of each key, or of none: if one has no use left, the others stay as they were. The
   * decisions are those of `take`, in the order of the requests. The first refusal is the last
   * decision; requests behind it are not decided. Decisions before it count the use that was not
   * taken. No two requests may have the same key. If callers race, each takes all of its uses or
   * none, in whatever order they name the keys.
   * @throws TypeError if a key comes twice.
   */
  takeEach(requests: readonly RateLimitRequest[]): Promise<readonly RateLimitDecision[]>;
  /**
   * Gives back one use that was allowed, as if it had never happened. Another process may refuse for
   * one more second.
   */
  giveBack(request: RateLimitRequest): Promise<void>;
  /** Gives back one use of each key, as `giveBack` does: of all of them, or of none if it rejects. */
  giveBackEach(requests: readonly RateLimitRequest[]): Promise<void>;
  /**
   * Forgets the keys whose full limit is available again at `now` (milliseconds since the epoch),
   * because keys name users and addresses. This changes no decision. Returns how many keys there
   * were.
   */
  forgetFree(now: number): Promise<number>;
}
