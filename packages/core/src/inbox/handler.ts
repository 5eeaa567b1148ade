import type { RetryPolicy } from "../jobs/retry-policy.ts";
import type { Stores } from "../ports/storage.ts";
import type { LogFields, LogLevel } from "../ports/telemetry.ts";
import type { AbortSignalLike } from "../runtime.ts";

/** An event as a handler sees it. */
export interface InboxEvent {
  readonly id: string;
  readonly provider: string;
  /** The sender's own id, where there is one. */
  readonly eventId: string | undefined;
  readonly type: string | undefined;
  /** The body, parsed as JSON. */
  readonly data: unknown;
  /** Exactly the bytes that were signed. */
  readonly body: Uint8Array;
  /** The headers that are kept; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly occurredAt: number | undefined;
}

export interface HandlerContext {
  /** This run's number, from 1. */
  readonly attempt: number;
  /** Aborted when the attempt has run out of time, or the process is stopping; `reason` says which. */
  readonly signal: AbortSignalLike;
  /** The same for every run of this job: for calls to others that take such a key. */
  readonly idempotencyKey: string;
  readonly log: (level: LogLevel, message: string, fields?: LogFields) => void;
  /**
   * Writes the effect and marks the job done in one transaction: both happen or neither, and only once however often the job runs. Do the slow
   * work first; `work` uses only the stores it is given. Nothing after it counts as failing the job.
   * @throws LeaseLost when this run no longer owns the job; nothing was written.
   */
  commit<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result>;
}

/** Something that wants events. Each event becomes one job for each handler that wants it. */
export interface InboxHandler {
  /** Unique and stable: waiting jobs are found by it after a restart. 1 to 128 ASCII characters. */
  readonly name: string;
  /** A provider's name, or `*` for every provider. */
  readonly provider: string;
  /** An event type, with `*` for any run of characters: `invoice.*`. `*` alone also takes events without a type. */
  readonly type: string;
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  /** May run more than once for one event (a crash, a lost connection); throwing means: again later. */
  handle(event: InboxEvent, context: HandlerContext): Promise<void>;
}

/** Thrown by a handler for what will never work: the job is dead at once. */
export class Permanent extends Error {
  override readonly name = "Permanent";
}

/** Thrown by a handler that knows when to try again (milliseconds since the epoch), e.g. from a `Retry-After`. */
export class RetryAt extends Error {
  override readonly name = "RetryAt";
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** This run no longer owns its job: it was taken for dead and the job given to another. Its result does not count. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

const escapeForPattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

const typePattern = (pattern: string): RegExp =>
  new RegExp(`^${pattern.split("*").map(escapeForPattern).join("[^]*")}$`);

/** Whether the handler wants an event of this provider and type. */
export const wants = (
  handler: Pick<InboxHandler, "provider" | "type">,
  event: { readonly provider: string; readonly type: string | undefined },
): boolean =>
  (handler.provider === "*" || handler.provider === event.provider) &&
  (handler.type === "*" || (event.type !== undefined && typePattern(handler.type).test(event.type)));
