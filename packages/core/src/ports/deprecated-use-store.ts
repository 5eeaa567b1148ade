/** Uses of something deprecated by one client on one day. */
export interface DeprecatedUse {
  /** The deprecation's id, up to 64 characters. */
  readonly deprecation: string;
  /** Who: `user:<id>`, `operator:<name>`, `anonymous`, or `other` where there are too many to tell apart; up to 64 characters. */
  readonly client: string;
  /** What they use: the product of `User-Agent`, up to 64 characters; empty when there was none. */
  readonly agent: string;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly calls: number;
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The same, all days together. */
export type DeprecatedUseSum = Omit<DeprecatedUse, "day">;

/** Who still uses what is deprecated. Driven port. */
export interface DeprecatedUseStore {
  /** Adds to what was counted before, by this process or another; all of it or nothing. */
  add(uses: readonly DeprecatedUse[]): Promise<void>;
  /** The sums since a day, by deprecation, client and agent; most calls first, at most `limit` (1 to 1,000). */
  sums(query: {
    readonly since: string;
    readonly deprecation?: string;
    readonly limit: number;
  }): Promise<readonly DeprecatedUseSum[]>;
  /** Forgets the days before this one. */
  forget(before: string): Promise<void>;
}
