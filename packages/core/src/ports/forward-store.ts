/** One attempt to send an event on to a target, and its answer. */
export interface ForwardAttempt {
  readonly eventId: number;
  /** The handler of the forward route. */
  readonly handler: string;
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly ms: number;
  /** `undefined` when there was no answer. */
  readonly status: number | undefined;
  /** Allow-listed headers only; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the answer, up to 2,048 characters. */
  readonly body: string;
  /** Why there was no answer. */
  readonly error: string | undefined;
}

/** Where the attempts to send events on are kept. Driven port; `forwardStoreContract` is its definition in code. */
export interface ForwardStore {
  /** Adds attempts; all of them or none. `Housekeeping.prune` removes them with their event. */
  keep(attempts: readonly ForwardAttempt[]): Promise<void>;
  /** The attempts to send this event on, newest first; at most `limit` (1 to 1,000). */
  list(eventId: number, limit: number): Promise<readonly ForwardAttempt[]>;
}
