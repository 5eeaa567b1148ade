import { hashHex, immediate } from "#platform";
import type { HeaderSource } from "./headers.ts";
import { jsonIn } from "./json.ts";
import { isInBody, textAt } from "./places.ts";
import type { Incoming } from "./request.ts";
import type { MaybePromise } from "./runtime.ts";
import type { Assertion, Covered, Scheme } from "./scheme.ts";

/** One event of a batched delivery. */
export interface DeliveryItem {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly payload: unknown;
  /** Like the `dedupeKey` of the delivery, for this event alone. */
  readonly dedupeKey: string;
}

/** A delivery whose signature is valid. */
export interface Delivery<Payload = unknown> {
  /** Name of the scheme. */
  readonly scheme: string;
  /** The sender's event id. Trust it only if `covered` names `id`. */
  readonly id?: string | undefined;
  /** The sender's event type. Trust it only if `covered` names `type`. */
  readonly type?: string | undefined;
  /**
   * When it was signed, in milliseconds since the epoch; `undefined` if the sender signs no time.
   */
  readonly timestamp?: number | undefined;
  /**
   * The body as JSON, or as fields if it is a form; `undefined` if it is neither. It is parsed when
   * you first read it. With a `schema` it is what the schema returns.
   */
  readonly payload: Payload;
  /**
   * How many levels of lists and objects the payload has, if that and the id and type were found
   * without parsing it. It is JSON then. Otherwise `undefined`.
   */
  readonly depth?: number | undefined;
  /** The bytes that arrived. Do not change them: `payload` and `dedupeKey` are read from them. */
  readonly body: Uint8Array;
  /** The parts of the request that the signature authenticates. */
  readonly covered: readonly Covered[];
  /**
   * Tells repeats: it is the same for every replay, even if an unsigned part was changed. It is the
   * event id if the signature covers that, otherwise the SHA-256 of the signed content, in hex. If
   * the signature covers only the sender, it is made from the body.
   */
  readonly dedupeKey: string;
  /** The id of the key that matched, if the key has one. */
  readonly keyId?: string | undefined;
  /** The events of a batch; `undefined` for senders that send one event at a time. */
  readonly items?: readonly DeliveryItem[] | undefined;
}

/**
 * The one claim of a delivery. `undefined` if there are several, because none of them speaks for
 * the whole delivery.
 */
const only = (claims: readonly Assertion[]): Assertion | undefined => (claims.length === 1 ? claims[0] : undefined);

const digestOf = (claims: readonly Assertion[]): MaybePromise<string> =>
  hashHex(
    "sha256",
    claims.flatMap(({ digested, signed }) => digested ?? signed),
  );

const shown = ["scheme", "id", "type", "timestamp", "payload", "covered", "dedupeKey", "keyId", "items"] as const;

/**
 * A delivery. Its getters do their work when they are first read, because most receivers never read
 * half of them.
 */
export class VerifiedDelivery implements Delivery {
  declare readonly scheme: string;
  declare readonly timestamp: number | undefined;
  declare readonly body: Uint8Array;
  declare readonly keyId: string | undefined;
  readonly #scheme: Scheme;
  readonly #headers: HeaderSource;
  readonly #claims: readonly Assertion[];
  #dedupeKey: string | undefined;
  #parsed = false;
  #payload: unknown;

  constructor(scheme: Scheme, { headers, body }: Incoming, claims: readonly Assertion[]) {
    this.scheme = scheme.name;
    this.timestamp = claims[0]?.timestamp;
    this.body = body;
    this.keyId = claims[0]?.keyId;
    this.#scheme = scheme;
    this.#headers = headers;
    this.#claims = claims;
  }

  get payload(): unknown {
    return this.#read();
  }

  /** The payload before a schema changed it. Id, type and items are read from this. */
  #read(): unknown {
    if (!this.#parsed) {
      this.#payload = (this.#scheme.parse ?? jsonIn)(this.body);
      this.#parsed = true;
    }
    return this.#payload;
  }

  get covered(): readonly Covered[] {
    return this.#claims[0]?.covered ?? this.#scheme.covered;
  }

  get id(): string | undefined {
    return only(this.#claims)?.id ?? textAt(this.#scheme.id, this.#headers, () => this.#read());
  }

  get type(): string | undefined {
    return only(this.#claims)?.type ?? textAt(this.#scheme.type, this.#headers, () => this.#read());
  }

  /**
   * The id, if the signature covers it. If the signature covers only the sender, anybody who can
   * send at all can send any body. An id in the body is then as good as the body's digest, and it
   * stays the same when the sender tries again.
   */
  #makeKey(): MaybePromise<string> {
    const { covered } = this;
    const own = covered.includes("id") || (covered.includes("sender") && isInBody(this.#scheme.id));
    return (own && this.#claims.length < 2 ? this.id : undefined) ?? digestOf(this.#claims);
  }

  get dedupeKey(): string {
    // Where hashing is asynchronous, `settle` has filled it in, so here it is text.
    this.#dedupeKey ??= this.#makeKey() as string;
    return this.#dedupeKey;
  }

  get items(): readonly DeliveryItem[] | undefined {
    const trusted = (["id", "body", "sender"] as const).some((part) => this.covered.includes(part));
    return this.#scheme.items?.(this.#read())?.map(({ id, type, payload }, index) => ({
      id,
      type,
      payload,
      dedupeKey: trusted && id !== undefined ? id : `${this.dedupeKey}:${index}`,
    }));
  }

  /** For `JSON.stringify`: everything but the bytes. */
  toJSON(): object {
    return Object.fromEntries(shown.map((name) => [name, this[name]]));
  }

  /** Makes the key now if hashing is asynchronous: a getter could not wait for it. */
  static async settle(delivery: VerifiedDelivery): Promise<Delivery> {
    delivery.#dedupeKey = await delivery.#makeKey();
    return delivery;
  }
}

/** Makes the delivery of a message whose claims were all proved. */
export const deliveryOf = (
  scheme: Scheme,
  incoming: Incoming,
  claims: readonly Assertion[],
): MaybePromise<Delivery> => {
  const delivery = new VerifiedDelivery(scheme, incoming, claims);
  return immediate ? delivery : VerifiedDelivery.settle(delivery);
};
