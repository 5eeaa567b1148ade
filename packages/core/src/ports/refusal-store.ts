import type { VerificationTrace } from "@postern/webhook-verifier";

/** A delivery whose signature did not hold, with how it was verified. */
export interface RefusedDelivery {
  /** A UUIDv7, so that later refusals have larger ids. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The sender's name, up to 64 ASCII characters. */
  readonly provider: string;
  /** The code of the refusal, up to 64 ASCII characters. */
  readonly reason: string;
  readonly requestId: string;
  /** The network address that it came from, if it is known. */
  readonly address: string | undefined;
  /** How long the body was, in bytes. */
  readonly bytes: number;
  /** How many of this sender, refused for the same reason before this one, were not kept. */
  readonly unkept: number;
  /** How it was verified, up to 16,384 characters as JSON. */
  readonly trace: VerificationTrace;
  /** Up to 64 KiB, if the provider asks for the bodies of refused deliveries. */
  readonly body: Uint8Array | undefined;
}

export interface RefusalFilter {
  readonly provider?: string;
  readonly reason?: string;
  /** Only those refused at this time or later. */
  readonly since?: number;
  /** Only those refused before this time. */
  readonly until?: number;
}

interface RefusalQuery extends RefusalFilter {
  /** Only those with a smaller id. */
  readonly before?: string;
  /** Only those with a larger id; these come oldest first. */
  readonly after?: string;
  /** 1 to 1,000. */
  readonly limit: number;
}

/** The last deliveries that were refused. Driven port; `refusalStoreContract` is its definition in code. */
export interface RefusalStore {
  /** Stores them, and keeps the `keep` (1 to 1,000) newest of all. */
  add(refusals: readonly RefusedDelivery[], keep: number): Promise<void>;
  find(id: string): Promise<RefusedDelivery | undefined>;
  /** Newest first, unless `after` is given. */
  list(query: RefusalQuery): Promise<readonly RefusedDelivery[]>;
  /** How many there are, counted up to `atMost`. */
  count(filter: RefusalFilter, atMost: number): Promise<number>;
  /** Deletes up to `limit` (1 to 1,000) of those that were refused before `before`. Returns how many. */
  prune(before: number, limit: number): Promise<number>;
}
