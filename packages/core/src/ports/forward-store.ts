/** One attempt to forward an event to a target, and the target's answer. */
export interface ForwardAttempt {
  readonly eventId: number;
  /** The handler of the forward route. */
  readonly handler: string;
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly ms: number;
  /** `undefined` if there was no answer. */
  readonly status: number | undefined;
  /** Only headers on the allow list; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the answer's body, up to 2,048 characters. */
  readonly body: string;
  /** Why there was no answer. */
  readonly error: string | undefined;
}

/**
 * Stores the attempts to forward events. Driven port; `forwardStoreContract` is its definition in
 * code.
 */
export interface ForwardStore {
  /**
   * Adds attempts: all of them or none. `Housekeeping.prune` removes them together with their
   * event.
   */
  keep(attempts: readonly ForwardAttempt[]): Promise<void>;
  /** The attempts to forward this event, newest first; at most `limit` (1 to 1,000). */
  list(eventId: number, limit: number): Promise<readonly ForwardAttempt[]>;
}
