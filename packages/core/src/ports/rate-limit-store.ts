export interface RateLimitRequest {
  /** Who and what is limited, up to 191 characters, e.g. `sign-in:address:192.0.2.1`. */
  readonly key: string;
  /** How many uses fit into one window; also the burst. */
  readonly limit: number;
  readonly windowMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** True where it must hold over all nodes together. A store that one node has for itself need not look at it. */
  readonly exact?: boolean;
}

export interface RateLimitDecision {
  readonly allowed: boolean;
  /** Uses left at once after this one. */
  readonly remaining: number;
  /** Until the full limit is available again. */
  readonly resetMs: number;
  /** Until one more use is allowed; 0 when this one was. */
  readonly retryAfterMs: number;
}

/**
 * Generic cell rate algorithm (ITU-T I.371) over shared state. Driven port. Two callers racing for the last use never both get it.
 */
export interface RateLimitStore {
  take(request: RateLimitRequest): Promise<RateLimitDecision>;
  /** Takes back one use that was allowed, as if it had not been. */
  giveBack(request: RateLimitRequest): Promise<void>;
}
