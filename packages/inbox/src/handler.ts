import { patternTest } from "@postern/core/internal";
import type { StoredEvent } from "@postern/core/ports";
import type { HandlerContext, JobSettings } from "@postern/jobs";
import { dataOf, type EventMetadata, filteredValue, metadataOf } from "./event-parts.ts";
import { type Integers, withIntegers } from "./exact-json.ts";
import { parametersOf } from "./outside-body.ts";
import { payloadOf } from "./payload.ts";
import type { PayloadSchema } from "./payload-schema.ts";
import type { Provider } from "./provider.ts";

/** An event as a handler sees it. */
export interface InboxEvent<Data = unknown> {
  readonly id: string;
  readonly provider: string;
  /** The sender's own id, if it has one. */
  readonly eventId: string | undefined;
  readonly type: string | undefined;
  /** What the sender tells beside the data: its own time, the attempt, its API's version. */
  readonly metadata: EventMetadata;
  /**
   * What the event is about: the part of the payload that the sender's scheme names as its data
   * (`data` for Stripe and Standard Webhooks), or the whole payload (GitHub).
   */
  readonly data: Data;
  /** The whole parsed body: as JSON, or as the sender's scheme reads it. */
  readonly payload: unknown;
  /** Exactly the bytes that were signed. */
  readonly body: Uint8Array;
  /** The headers that are kept; lower-case names. Trust one only if `covered` names it. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The parameters of the sender's URL; one that came several times has a list. Trust them only if
   * `covered` names `url`.
   */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** What was not kept because it was too long or too much: `header:<name>`, `query`. */
  readonly leftOut: readonly string[];
  /** What the sender's proof covers: `body`, `url`, `header:<name>`, … Empty if that is not known. */
  readonly covered: readonly string[];
  /** Why it was quarantined, if an operator said that it runs all the same. */
  readonly overruled: string | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly occurredAt: number | undefined;
}

/**
 * Values by dotted path into the event's data (`object.status`), with `$.` in front into its whole
 * payload (`$.livemode`), of a kept header (`header:x-shopify-shop-domain`), or of a parameter of the
 * sender's URL (`query:tenant`; one that came several times fits no value). With a list, any of its values fits. All entries must hold. Write a
 * whole number beyond 2^53 as `bigint`.
 */
export type PayloadFilter = Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
type FilterValue = string | number | bigint | boolean | null;

/** The parts of an event that an order key can be made from. */
export type OrderedBy = Pick<InboxEvent, "provider" | "type" | "data" | "payload" | "headers" | "query">;

/** A receiver of events. Each event becomes one job for each handler that wants it. */
export interface InboxHandler extends JobSettings {
  /** A provider's name, or `*` for every provider. */
  readonly provider: string;
  /**
   * An event type; `*` stands for any run of characters: `invoice.*`. A lone `*` also matches
   * events without a type.
   */
  readonly type: string;
  /** Only events with these values. */
  readonly where?: PayloadFilter;
  /** The schema of the data of this handler's events. An event that does not fit is quarantined. */
  readonly schema?: PayloadSchema;
  /**
   * How whole numbers beyond 2^53 arrive in `data` and `payload`, where a double would change their
   * last digits. Default: `bigint`. `text`: as text, which `JSON.stringify` takes. `number`: as
   * doubles, with other last digits. `event.body` has the sender's own bytes in any case.
   */
  readonly integers?: Integers;
  /**
   * Jobs with the same key (e.g. a customer's id) run one at a time, in the order in which their
   * events arrived. `undefined`: in no particular order.
   */
  readonly orderKey?: (event: OrderedBy) => string | undefined;
  /**
   * Handles one event. It may run more than once for the same event (a crash, a lost connection).
   * If it throws, it runs again later.
   */
  handle(event: InboxEvent, context: HandlerContext): Promise<unknown>;
}

/** Patterns are few, come from the configuration, and are checked for every event. */
const patterns = new Map<string, (type: string) => boolean>();

const typePattern = (pattern: string): ((type: string) => boolean) => {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const made = patternTest(pattern);
  patterns.set(pattern, made);
  return made;
};

/**
 * Whether a type matches a pattern, in which `*` stands for any run of characters. A lone `*` also
 * matches an event without a type.
 */
export const matchesType = (pattern: string, type: string | undefined): boolean =>
  pattern === "*" || (type !== undefined && typePattern(pattern)(type));

/** Whether the handler wants an event of this provider, type and payload. */
export const wants = (handler: Pick<InboxHandler, "provider" | "type" | "where">, event: OrderedBy): boolean =>
  (handler.provider === "*" || handler.provider === event.provider) &&
  (handler.type === "*" || matchesType(handler.type, event.type)) &&
  (handler.where === undefined || hasValues(event, handler.where));

const hasValues = (event: OrderedBy, filter: PayloadFilter): boolean =>
  Object.entries(filter).every(([path, wanted]) => {
    const value = filteredValue(event, path);
    return typeof wanted === "object" && wanted !== null ? wanted.some((one) => one === value) : wanted === value;
  });

/**
 * A stored event as a handler gets it. Its payload is parsed when a handler reads it or a part of
 * it: to parse 5 MB takes a tenth of a second, and not every handler looks into the payload.
 */
export class HandledEvent implements InboxEvent {
  readonly id: string;
  readonly provider: string;
  readonly eventId: string | undefined;
  readonly type: string | undefined;
  declare readonly metadata: EventMetadata;
  declare readonly data: unknown;
  declare readonly payload: unknown;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: InboxEvent["query"];
  readonly leftOut: readonly string[];
  readonly covered: readonly string[];
  readonly overruled: string | undefined;
  readonly receivedAt: number;
  readonly occurredAt: number | undefined;
  readonly #event: StoredEvent;
  readonly #provider: Provider | undefined;
  readonly #integers: Integers | undefined;
  #parsed: { readonly payload: unknown } | undefined;
  #metadata: EventMetadata | undefined;

  constructor(event: StoredEvent, body: Uint8Array, provider: Provider | undefined, integers?: Integers) {
    this.id = String(event.id);
    this.provider = event.provider;
    this.eventId = event.eventId;
    this.type = event.type;
    this.body = body;
    this.headers = event.headers;
    this.query = parametersOf(event.query);
    this.leftOut = event.leftOut ?? [];
    this.covered = event.covered ?? provider?.verifier.scheme.covered ?? [];
    this.overruled = event.overruled;
    this.receivedAt = event.receivedAt;
    this.occurredAt = event.occurredAt;
    this.#event = event;
    this.#provider = provider;
    this.#integers = integers;
    Object.defineProperties(this, HandledEvent.#madeWhenRead);
  }

  /**
   * Members of the event itself, so that copies of it (`{ ...event }`, JSON, `structuredClone`) have
   * them. All events share the functions. With functions of its own, an object costs V8 a map of its
   * own, which keeps the event until the whole heap is collected: a fifth of the time of a job.
   */
  static readonly #madeWhenRead = {
    metadata: {
      enumerable: true,
      get(this: HandledEvent): EventMetadata {
        this.#metadata ??= metadataOf(this.#scheme(), this.#event, this.payload);
        return this.#metadata;
      },
    },
    data: {
      enumerable: true,
      get(this: HandledEvent): unknown {
        return dataOf(this.#scheme(), this.payload);
      },
    },
    payload: {
      enumerable: true,
      get(this: HandledEvent): unknown {
        this.#parsed ??= { payload: withIntegers(payloadOf(this.#provider, this.body, this.headers), this.#integers) };
        return this.#parsed.payload;
      },
    },
  };

  #scheme() {
    return this.#provider?.verifier.scheme;
  }
}
