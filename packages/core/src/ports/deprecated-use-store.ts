/**
 * How something deprecated is used. `asked`: the request names, sends or calls it. `sent`: it is
 * only part of the answer, where a client may read it.
 */
type DeprecatedUseKind = "asked" | "sent";

/** Uses of something deprecated by one client through one operation on one day. */
export interface DeprecatedUse {
  /** The deprecation's id, up to 64 characters. */
  readonly deprecation: string;
  /**
   * The client: `user:<id>`, `operator:<name>`, `anonymous`, or `other` if there are too many to
   * tell apart. Up to 64 characters.
   */
  readonly client: string;
  /**
   * The client's program: the product in `User-Agent`, up to 64 characters; empty if there was
   * none, `other` if the client has too many to tell apart.
   */
  readonly agent: string;
  /** The operation's id, up to 64 ASCII characters. */
  readonly operation: string;
  readonly kind: DeprecatedUseKind;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly calls: number;
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The same, summed over all days. */
export type DeprecatedUseSum = Omit<DeprecatedUse, "day">;

/** Keeps who still uses deprecated things. Driven port. */
export interface DeprecatedUseStore {
  /** Adds to what this or another process counted before. Either all of it is added or nothing. */
  add(uses: readonly DeprecatedUse[]): Promise<void>;
  /**
   * The sums since a day, by deprecation, client, agent, operation and kind; most calls first, at
   * most `limit` (1 to 1,000).
   */
  sums(query: {
    readonly since: string;
    readonly deprecation?: string;
    readonly limit: number;
  }): Promise<readonly DeprecatedUseSum[]>;
  /**
   * Notes that uses of these are counted from `now` (milliseconds since the epoch) on, unless that was
   * noted before. Returns since when each that was ever noted is watched. It is never forgotten.
   */
  watch(deprecations: readonly string[], now: number): Promise<ReadonlyMap<string, number>>;
  /** Deletes the counts of earlier days. */
  forget(before: string): Promise<void>;
  /** Deletes the counts of one client, for example of a deleted account. */
  forgetClient(client: string): Promise<void>;
}
