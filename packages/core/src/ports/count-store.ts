/** How long the buckets are in which things are counted. */
export type CountStep = "minute" | "hour" | "day";

/** What happened in a bucket of time. */
export interface Counts {
  /** Deliveries with a valid signature, repeats included. */
  readonly received: number;
  readonly refused: number;
  readonly duplicate: number;
  readonly quarantined: number;
  /** Jobs that ended well. Those of events, and all others. */
  readonly processed: number;
  /** Jobs that were given up. */
  readonly dead: number;
  /** Jobs of events that began more than a minute after they were stored. */
  readonly late: number;
  /**
   * How many of the processed jobs took how long, from when they were stored to their end: a number
   * for each of `latencyBounds`, and one for those that took longer.
   */
  readonly latency: readonly number[];
  /** The most jobs that waited at once, as far as it was looked; 0 if it was not. */
  readonly waiting: number;
  /** For how many milliseconds the oldest of them had waited, at most. */
  readonly oldestMs: number;
}

/** The counts of one sender in one bucket. */
export interface CountBucket extends Counts {
  readonly step: CountStep;
  /** The bucket's first millisecond since the epoch. Days begin at midnight UTC. */
  readonly at: number;
  /** The sender's name, up to 64 ASCII characters; `*` for everything together. */
  readonly provider: string;
}

interface CountQuery {
  readonly step: CountStep;
  readonly provider: string;
  /** Buckets that begin at this time or later. */
  readonly since: number;
  /** Buckets that begin before this time. */
  readonly until: number;
  /** 1 to 2,000. */
  readonly limit: number;
}

interface CountSumQuery {
  readonly step: CountStep;
  /** Buckets that begin at this time or later. */
  readonly since: number;
  /** Buckets that begin before this time. */
  readonly until: number;
  /** So many senders at most: 1 to 1,000. */
  readonly limit: number;
}

/** All that was counted of a sender in a span of time. */
interface CountSum extends Counts {
  readonly provider: string;
}

/**
 * What happened over time. Every process adds a few rows a minute, whatever the traffic. Driven port;
 * `countStoreContract` is its definition in code.
 */
export interface CountStore {
  /** Adds to what this or another process counted before. Either all of it is added or nothing. */
  add(buckets: readonly CountBucket[]): Promise<void>;
  /** Oldest first. Buckets in which nothing happened are left out. */
  list(query: CountQuery): Promise<readonly CountBucket[]>;
  /**
   * The sums of each sender of which anything was counted in this time, by name in the order of ASCII.
   * Everything together is not among them.
   */
  sums(query: CountSumQuery): Promise<readonly CountSum[]>;
  /** Deletes up to `limit` (1 to 1,000) buckets of this step before `before`. Returns how many. */
  prune(step: CountStep, before: number, limit: number): Promise<number>;
}
