import type { StoredEvent } from "../ports/event-store.ts";
import { dataOf, type EventMetadata, metadataOf } from "./event-parts.ts";
import { type Integers, withIntegers } from "./exact-json.ts";
import type { InboxEvent } from "./handler.ts";
import { payloadOf } from "./payload.ts";
import type { Provider } from "./provider.ts";

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
        this.#parsed ??= { payload: withIntegers(payloadOf(this.#provider, this.body), this.#integers) };
        return this.#parsed.payload;
      },
    },
  };

  #scheme() {
    return this.#provider?.verifier.scheme;
  }
}
