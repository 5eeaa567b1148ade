import type { HandlerContext } from "../jobs/handler-context.ts";
import type { JobSettings } from "../jobs/job-handler.ts";
import type { PayloadSchema } from "./payload-schema.ts";
import { valueAt } from "./value-at.ts";

/** An event as a handler sees it. */
export interface InboxEvent<Data = unknown> {
  readonly id: string;
  readonly provider: string;
  /** The sender's own id, where there is one. */
  readonly eventId: string | undefined;
  readonly type: string | undefined;
  /** The body, parsed: as JSON, or as the sender's scheme reads it. */
  readonly data: Data;
  /** Exactly the bytes that were signed. */
  readonly body: Uint8Array;
  /** The headers that are kept; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly occurredAt: number | undefined;
}

/** Values by dotted path into the payload (`data.object.livemode`); a list means any of them. All must hold. */
export type PayloadFilter = Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
type FilterValue = string | number | boolean | null;

/** What an order key is made from. */
export type OrderedBy = Pick<InboxEvent, "provider" | "type" | "data">;

/** Something that wants events. Each event becomes one job for each handler that wants it. */
export interface InboxHandler extends JobSettings {
  /** A provider's name, or `*` for every provider. */
  readonly provider: string;
  /** An event type, with `*` for any run of characters: `invoice.*`. `*` alone also takes events without a type. */
  readonly type: string;
  /** Only events whose payload has these values. */
  readonly where?: PayloadFilter;
  /** What an event must look like to come to this handler; one that does not is quarantined. */
  readonly schema?: PayloadSchema;
  /** Jobs of one key (e.g. a customer's id) run one at a time, as their events came in; `undefined`: in no order. */
  readonly orderKey?: (event: OrderedBy) => string | undefined;
  /** May run more than once for one event (a crash, a lost connection); throwing means: again later. */
  handle(event: InboxEvent, context: HandlerContext): Promise<void>;
}

const escapeForPattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Patterns are few, written by whoever runs the server, and looked at for every event. */
const patterns = new Map<string, RegExp>();

const typePattern = (pattern: string): RegExp => {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const made = new RegExp(`^${pattern.split("*").map(escapeForPattern).join("[^]*")}$`);
  patterns.set(pattern, made);
  return made;
};

/** Whether a type is one of those that a pattern with `*` for any run of characters names; `*` alone also takes an event without a type. */
export const matchesType = (pattern: string, type: string | undefined): boolean =>
  pattern === "*" || (type !== undefined && typePattern(pattern).test(type));

/** Whether the handler wants an event of this provider, type and payload. */
export const wants = (handler: Pick<InboxHandler, "provider" | "type" | "where">, event: OrderedBy): boolean =>
  (handler.provider === "*" || handler.provider === event.provider) &&
  matchesType(handler.type, event.type) &&
  (handler.where === undefined || matchesPayload(handler.where, event.data));

const matchesPayload = (filter: PayloadFilter, payload: unknown): boolean =>
  Object.entries(filter).every(([path, wanted]) => {
    const value = valueAt(payload, path);
    return typeof wanted === "object" && wanted !== null ? wanted.some((one) => one === value) : wanted === value;
  });
