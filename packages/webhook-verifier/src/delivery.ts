import { platform } from "#platform";
import type { HeaderSource } from "./headers.ts";
import { encodeHex } from "./hex.ts";
import { isInBody, textAt } from "./places.ts";
import type { Piece } from "./platform/contract.ts";
import { isPromise, type MaybePromise, textOf } from "./runtime.ts";
import type { Claim, Covered, Scheme } from "./scheme.ts";

/** One event of a batched delivery. */
export interface DeliveryItem {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly payload: unknown;
  /** Like the delivery's, for this event alone. */
  readonly dedupeKey: string;
}

/** A delivery whose signature held. */
export interface Delivery {
  /** Name of the scheme. */
  readonly scheme: string;
  /** The sender's event id. Trust it only if `covered` names `id`. */
  readonly id?: string | undefined;
  /** The sender's event type. Trust it only if `covered` names `type`. */
  readonly type?: string | undefined;
  /** When it was signed, in epoch milliseconds; undefined when the sender signs no time. */
  readonly timestamp?: number | undefined;
  /** The body as JSON (as fields, for form bodies); undefined when it is neither. Parsed when first asked for. */
  readonly payload: unknown;
  /** The bytes that arrived. Do not change them: `payload` and `dedupeKey` are read from them. */
  readonly body: Uint8Array;
  /** The parts of the request that the signature authenticates. */
  readonly covered: readonly Covered[];
  /**
   * The same for every replay, whatever unsigned part is changed: the event id if the signature covers it, otherwise the
   * hex SHA-256 of the signed content. Where the signature covers the sender only, it is made of the body.
   */
  readonly dedupeKey: string;
  /** The id of the key that matched, where it has one. */
  readonly keyId?: string | undefined;
  /** The events of a batch; undefined for senders that send one at a time. */
  readonly items?: readonly DeliveryItem[] | undefined;
}

const parseJson = (body: Uint8Array): unknown => {
  const text = textOf(body);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What is learned late, only if somebody asks: most receivers never look at half of it. */
class VerifiedDelivery implements Delivery {
  readonly scheme: string;
  readonly timestamp: number | undefined;
  readonly body: Uint8Array;
  readonly keyId: string | undefined;
  readonly #scheme: Scheme;
  readonly #headers: HeaderSource;
  readonly #claims: readonly Claim[];
  #digest: string | undefined;
  #parsed = false;
  #payload: unknown;

  constructor(scheme: Scheme, headers: HeaderSource, body: Uint8Array, claims: readonly Claim[], keyId?: string) {
    this.scheme = scheme.name;
    this.timestamp = claims[0]?.timestamp;
    this.body = body;
    this.keyId = keyId;
    this.#scheme = scheme;
    this.#headers = headers;
    this.#claims = claims;
  }

  get payload(): unknown {
    if (!this.#parsed) {
      this.#payload = this.#scheme.parse === undefined ? parseJson(this.body) : this.#scheme.parse(this.body);
      this.#parsed = true;
    }
    return this.#payload;
  }

  get covered(): readonly Covered[] {
    return this.#claims[0]?.covered ?? this.#scheme.covered;
  }

  get id(): string | undefined {
    return this.#only?.id ?? textAt(this.#scheme.id, this.#headers, this.#body(this.#scheme.id));
  }

  get type(): string | undefined {
    return this.#only?.type ?? textAt(this.#scheme.type, this.#headers, this.#body(this.#scheme.type));
  }

  get dedupeKey(): string {
    if (this.#digest !== undefined) return this.#digest;
    const id = this.#coveredId();
    if (id !== undefined) return id;
    const digest = platform.hash("sha256", this.#signed());
    // `settle` has filled the digest in where hashing takes waiting.
    if (isPromise(digest)) throw new TypeError("the delivery was not settled");
    this.#digest = encodeHex(digest);
    return this.#digest;
  }

  get items(): readonly DeliveryItem[] | undefined {
    const found = this.#scheme.items?.(this.payload);
    if (found === undefined) return undefined;
    const whole = this.dedupeKey;
    const trusted = (["id", "body", "sender"] as const).some((part) => this.covered.includes(part));
    return found.map(({ id, type, payload }, index) => ({
      id,
      type,
      payload,
      dedupeKey: trusted && id !== undefined ? id : `${whole}:${index}`,
    }));
  }

  /** What `JSON.stringify` sees: all but the bytes. */
  toJSON(): Omit<Delivery, "body"> {
    const { scheme, id, type, timestamp, payload, covered, dedupeKey, keyId, items } = this;
    return { scheme, id, type, timestamp, payload, covered, dedupeKey, keyId, items };
  }

  /** The one claim, if there is one: of several, none speaks for the whole delivery. */
  get #only(): Claim | undefined {
    return this.#claims.length === 1 ? this.#claims[0] : undefined;
  }

  /**
   * The id that may stand for the delivery. Where only the sender is known, whoever can send at all can send any body, and
   * an id in the body is as good as the body's digest, and survives the sender's own retries.
   */
  #coveredId(): string | undefined {
    if (this.#only === undefined) return undefined;
    const bySender = this.covered.includes("sender") && isInBody(this.#scheme.id);
    return bySender || this.covered.includes("id") ? this.id : undefined;
  }

  #signed(): readonly Piece[] {
    return this.#claims.flatMap(({ digested, signed }) => digested ?? signed);
  }

  /** Does now what would take waiting later. */
  async settle(): Promise<this> {
    if (this.#coveredId() === undefined) this.#digest = encodeHex(await platform.hash("sha256", this.#signed()));
    return this;
  }

  /** Parses only for places that need it. */
  #body(place: Scheme["id"]): unknown {
    return place !== undefined && (isInBody(place) || typeof place !== "string") ? this.payload : undefined;
  }
}

/** Makes the delivery of a message all of whose claims held. */
export const deliveryOf = (
  scheme: Scheme,
  headers: HeaderSource,
  body: Uint8Array,
  claims: readonly Claim[],
  keyId: string | undefined,
): MaybePromise<Delivery> => {
  const delivery = new VerifiedDelivery(scheme, headers, body, claims, keyId);
  return platform.immediate ? delivery : delivery.settle();
};
