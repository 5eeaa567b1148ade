import { immediate, outlineOf } from "#platform";
import { type Identified, identityOf, type Repeat, signedDigestOf } from "./identity.ts";
import { jsonIn } from "./json.ts";
import { at, textAt } from "./places.ts";
import type { JsonOutline } from "./platform/contract.ts";
import type { Incoming } from "./request.ts";
import { after, type MaybePromise, utf8 } from "./runtime.ts";
import type { Assertion, Covered, FoundItem, RepeatRule, Scheme } from "./scheme.ts";

/** One event of a batched delivery. What tells repeats of it is for this event alone. */
interface DeliveryItem extends FoundItem, Identified {}

/** A delivery whose signature is valid. */
export interface Delivery<Payload = unknown> extends Identified {
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
   * The body as JSON, or as fields if it is a form; `undefined` if it is neither. Files of a form are
   * told by name, type and size. It is parsed when you first read it. With a `schema` it is what the
   * schema returns.
   */
  readonly payload: Payload;
  /**
   * How many levels of lists and objects the payload has, if that and the id and type were found
   * without parsing it. It is JSON then. Otherwise `undefined`.
   */
  readonly depth?: number | undefined;
  /**
   * Whether the payload has the object that the scheme's `needsData` asks for, if `depth` is known.
   */
  readonly hasData?: boolean | undefined;
  /**
   * The bytes that arrived; those of the query, if the query is the payload. Do not change them:
   * `payload` and `dedupeKey` are read from them.
   */
  readonly body: Uint8Array;
  /** The parts of the request that the signature authenticates. */
  readonly covered: readonly Covered[];
  /**
   * The SHA-256 of the signed bytes, in hex, if an id outside of them tells repeats. If it comes
   * again with another id, the sender has two events with the same bytes, or somebody has changed
   * the id.
   */
  readonly signedDigest?: string | undefined;
  /** The id of the key that matched, if the key has one. */
  readonly keyId?: string | undefined;
  /** The events of a batch; `undefined` for senders that send one event at a time. */
  readonly items?: readonly DeliveryItem[] | undefined;
}

const shown = [
  "scheme",
  "id",
  "type",
  "timestamp",
  "payload",
  "covered",
  "dedupeKey",
  "repeat",
  "keyId",
  "items",
] as const;

/** What tells a delivery from others, and the digest of its signed bytes if that is asked for. */
type Settled = Identified & { readonly signedDigest?: string };

/** The bytes that the payload is read from. */
const contentOf = ({ queryIsPayload }: Scheme, { body, url = "" }: Incoming): Uint8Array =>
  queryIsPayload && body.length === 0 ? utf8(/\?([^#]*)/.exec(url)?.[1] ?? "") : body;

/**
 * A delivery. Its getters do their work when they are first read, because most receivers never read
 * half of them.
 */
class VerifiedDelivery implements Delivery {
  declare readonly scheme: string;
  declare readonly timestamp: number | undefined;
  declare readonly body: Uint8Array;
  declare readonly keyId: string | undefined;
  readonly #scheme: Scheme;
  readonly #incoming: Incoming;
  readonly #claims: readonly Assertion[];
  readonly #dedupe: readonly RepeatRule[] | undefined;
  #identity: Settled | undefined;
  #parsed = false;
  #payload: unknown;
  /** `null` if it was not asked for yet. */
  #outlined: JsonOutline | null | undefined = null;

  constructor(
    scheme: Scheme,
    incoming: Incoming,
    claims: readonly Assertion[],
    dedupe: readonly RepeatRule[] | undefined,
  ) {
    this.scheme = scheme.name;
    this.timestamp = claims[0]?.timestamp;
    this.body = contentOf(scheme, incoming);
    this.keyId = claims[0]?.keyId;
    this.#scheme = scheme;
    this.#incoming = incoming;
    this.#claims = claims;
    this.#dedupe = dedupe;
  }

  get payload(): unknown {
    // An outline would save nothing any more.
    this.#outlined ??= undefined;
    return this.#read();
  }

  #outline(): JsonOutline | undefined {
    if (this.#outlined === null) {
      const { readsJson } = this.#scheme.parse ?? {};
      const isJson = readsJson === undefined || readsJson(this.body, this.#incoming.headers);
      this.#outlined = isJson ? outlineOf(this.body, this.#scheme) : undefined;
    }
    return this.#outlined;
  }

  /** The payload before a schema changed it. Id, type and items are read from this. */
  #read(): unknown {
    if (!this.#parsed) {
      const { parse } = this.#scheme;
      this.#payload = parse === undefined ? jsonIn(this.body) : parse(this.body, this.#incoming.headers);
      this.#parsed = true;
    }
    return this.#payload;
  }

  get covered(): readonly Covered[] {
    return this.#claims[0]?.covered ?? this.#scheme.covered;
  }

  get id(): string | undefined {
    return this.#text("id");
  }

  get type(): string | undefined {
    return this.#text("type");
  }

  /** The body is parsed only if its outline does not hold the text. */
  #text(part: "id" | "type"): string | undefined {
    // Of several claims, none speaks for the whole delivery.
    const claimed = this.#claims.length === 1 ? this.#claims[0]?.[part] : undefined;
    if (claimed !== undefined) return claimed;
    const outline = this.#outline();
    return textAt(this.#scheme[part], this.#incoming.headers, (path) => {
      const value = outline ? outline[part] : this.#inBody(path);
      // Senders that put a number at the place of a type mean something else by that member.
      return part === "id" || typeof value === "string" ? value : undefined;
    });
  }

  #inBody(path: string): unknown {
    return at(this.#read(), path);
  }

  get depth(): number | undefined {
    return this.#outline()?.depth;
  }

  get hasData(): boolean | undefined {
    return this.#outline()?.hasData;
  }

  #identify(): MaybePromise<Settled> {
    const { covered } = this;
    const { headers, body, url } = this.#incoming;
    const seen = {
      scheme: this.#scheme,
      claims: this.#claims,
      covered,
      id: this.id,
      body,
      url,
      headers,
      inBody: (path: string) => this.#inBody(path),
    };
    return after(identityOf(seen, this.#dedupe ?? this.#scheme.repeats), (identity) =>
      identity.repeat.by !== "unsigned-id" || covered.includes("sender")
        ? identity
        : after(signedDigestOf(this.#claims), (signedDigest) => ({ ...identity, signedDigest })),
    );
  }

  get #settled(): Settled {
    // Where hashing is asynchronous, `settle` has filled it in, so here it is no promise.
    this.#identity ??= this.#identify() as Settled;
    return this.#identity;
  }

  get dedupeKey(): string | undefined {
    return this.#settled.dedupeKey;
  }

  get repeat(): Repeat {
    return this.#settled.repeat;
  }

  get signedDigest(): string | undefined {
    return this.#settled.signedDigest;
  }

  get items(): readonly DeliveryItem[] | undefined {
    return this.#scheme.items?.(this.#read())?.map(({ id, type, payload }, index) => ({
      id,
      type,
      payload,
      ...this.#identifyItem(id, index),
    }));
  }

  /** An item is told from others by its own id, or else by its place in the delivery. */
  #identifyItem(id: string | undefined, index: number): Identified {
    const { covered } = this;
    const isSender = covered.includes("sender");
    const [set] = this.#dedupe ?? [];
    const byId = set === undefined || set.by.endsWith("id");
    if (id !== undefined && byId && (isSender || covered.includes("id") || covered.includes("body")))
      return { dedupeKey: id, repeat: { by: isSender ? "unsigned-id" : "signed-id" } };
    const { dedupeKey, repeat } = this.#settled;
    return { dedupeKey: dedupeKey === undefined ? undefined : `${dedupeKey}:${index}`, repeat };
  }

  /** For `JSON.stringify`: everything but the bytes. */
  toJSON(): object {
    return Object.fromEntries(shown.map((name) => [name, this[name]]));
  }

  /** Makes the identity now if hashing is asynchronous: a getter could not wait for it. */
  static async settle(delivery: VerifiedDelivery): Promise<Delivery> {
    delivery.#identity = await delivery.#identify();
    return delivery;
  }
}

/** Makes the delivery of a message whose claims were all proved. */
export const deliveryOf = (
  scheme: Scheme,
  incoming: Incoming,
  claims: readonly Assertion[],
  /** Rules that take precedence over those of the scheme. */
  dedupe: readonly RepeatRule[] | undefined,
): MaybePromise<Delivery> => {
  const delivery = new VerifiedDelivery(scheme, incoming, claims, dedupe);
  return immediate ? delivery : VerifiedDelivery.settle(delivery);
};
