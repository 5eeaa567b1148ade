import type { SchemeLayout } from "./define-scheme.ts";
import type { Key, KeyNotation } from "./keys/key.ts";
import type { Algorithm, Candidate, Piece } from "./platform/contract.ts";
import type { Incoming } from "./request.ts";
import type { MaybePromise } from "./runtime.ts";

/**
 * A part of the request that the signature authenticates. Everything else is whatever an attacker wants it to be.
 * `header:<name>` and `field:<name>` (inside the body) are single values; `sender` means that only the caller's identity
 * is known.
 */
export type Covered =
  | "body"
  | "timestamp"
  | "id"
  | "type"
  | "method"
  | "url"
  | "key-id"
  | "sender"
  | `header:${string}`
  | `field:${string}`;

/** What a message says about itself before anything is believed: these signatures, over this content. */
export interface Claim {
  /** One to five. */
  readonly signatures: readonly Candidate[];
  /** The signed content in pieces, in order; exactly the bytes that arrived. */
  readonly signed: readonly Piece[];
  /**
   * Other spellings of the signed content, for senders that are not sure of their own (a default port in a URL); asked for
   * when `signed` does not hold. The one that does takes its place.
   */
  readonly alternatives?: () => readonly (readonly Piece[])[];
  /** What the dedupe key is the digest of, where the signed content is the same for many deliveries. */
  readonly digested?: readonly Piece[];
  /** Epoch milliseconds. */
  readonly timestamp?: number;
  /** Which key the sender says it used. */
  readonly keyId?: string;
  /** A covered id that stands outside the body. */
  readonly id?: string;
  readonly type?: string;
  /** In place of the scheme's `covered`, where the message decides. */
  readonly covered?: readonly Covered[];
  /**
   * What must hold besides the signature (digests, claims), and what can only be read once it held; runs after it.
   * @throws WebhookVerificationError
   */
  readonly confirm?: () => MaybePromise<Confirmed | undefined>;
}

/** What a claim says only after its signature held; takes the place of the claim's own. */
export type Confirmed = Pick<Claim, "timestamp" | "id" | "type" | "covered">;

/** One event of a batched delivery, as a scheme finds it. */
export interface FoundItem {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly payload: unknown;
}

/** Settings of one receiver that a scheme needs besides keys: an audience, a registered URL, a verify token. */
export type Settings = { readonly [name: string]: string | readonly string[] | undefined };

/** Says what a setting is for. */
export interface SettingFacts {
  readonly about: string;
  /** A verifier is not built without it. */
  readonly required?: boolean;
  /** May be a list. */
  readonly list?: boolean;
}

/** What a scheme is given while it reads a message. */
export interface Reading {
  readonly settings: Settings;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** An answer to send back as it is. */
export interface HandshakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The key of everything that follows, where it comes with the handshake (Asana): keep it before you answer. */
  readonly key?: string;
}

/** What a handshake may use. */
export interface HandshakeTools extends Reading {
  /** Verifies the request like a delivery and gives its JSON. @throws WebhookVerificationError */
  verified(): Promise<unknown>;
  /** The code of the first valid secret over `pieces`. */
  mac(pieces: readonly Piece[]): Promise<Uint8Array>;
  /** For handshakes that have to call back; undefined unless the verifier was given one. */
  readonly fetch: Fetch | undefined;
}

/** The platform's `AbortSignal`, where its types are there. */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Found } }
  ? Found
  : unknown;

/** The part of `fetch` that is used: the platform's fits, or your own with proxies or limits. */
export type Fetch = (
  url: string,
  init: { readonly headers?: Record<string, string>; readonly redirect: "error"; readonly signal?: Signal },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/** What is to be signed. */
export interface Draft {
  readonly method: string;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly id: string;
  readonly type: string | undefined;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly settings: Settings;
}

/** A request as its sender would send it. */
export interface SignedRequest {
  readonly method: string;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Signs pieces with one of the sender's keys. */
export interface SigningKey {
  readonly id: string | undefined;
  readonly algorithm: Algorithm;
  sign(pieces: readonly Piece[]): Promise<Uint8Array>;
}

/** How sure we are that a scheme is what its sender does. */
export type Confidence =
  /** Read in the sender's own documentation, SDK or specification. */
  | "confirmed"
  /** Known from other libraries and guides only. */
  | "second-hand"
  /** Common knowledge; no source could be read. */
  | "unconfirmed";

/** What documentation needs to know; the tables and pages are generated from it. */
export interface SchemeFacts {
  /** The sender's name as it writes it. */
  readonly title: string;
  /** Headers the signature is read from, in the sender's spelling. Empty when it stands in the body. */
  readonly headers: readonly string[];
  /** The signed content in words or as a template. */
  readonly signed: string;
  /** How the signature is written: `hex`, `base64`, `JWT`, … */
  readonly encoding: string;
  /** Where a receiver finds the key at the sender. */
  readonly keyFrom: string;
  readonly confidence: Confidence;
  /** The page or source the facts come from. */
  readonly source: string;
  /** The handshake in a few words, if there is one. */
  readonly handshake?: string;
  /** What a receiver should know besides. */
  readonly notes?: readonly string[];
}

/** One sender's way of signing: data plus the few steps that are its own. Make one with `defineScheme`. */
export interface Scheme {
  /** Kebab-case, the same as in `schemes` and as the file. */
  readonly name: string;
  readonly facts: SchemeFacts;
  /** How its keys are written. */
  readonly key: KeyNotation;
  /** Default window both ways; undefined: the sender signs no time. */
  readonly toleranceSeconds?: number;
  /** Default limit of a body, in bytes, where the sender documents one; 1 MiB unless given. */
  readonly maxBodyBytes?: number;
  readonly covered: readonly Covered[];
  /** Where the event's id and type stand: `header:<name>` or `body:<path>`; several are joined by a full stop. */
  readonly id?: Place;
  readonly type?: Place;
  /** What only some of its deliveries have: where it is missing, that is no fault. */
  readonly optional?: readonly ("id" | "type")[] | undefined;
  readonly settings?: Readonly<Record<string, SettingFacts>>;
  /** Reads the claims of a message; every one of them must hold. @throws WebhookVerificationError */
  read(request: Incoming, reading: Reading): MaybePromise<readonly Claim[]>;
  /** The parsed body, where it is not JSON. */
  readonly parse?: ((body: Uint8Array) => unknown) | undefined;
  /** The events of a batch; undefined: the delivery is one event. */
  readonly items?: ((payload: unknown) => readonly FoundItem[] | undefined) | undefined;
  /** Answers a request that is no event; undefined: it is none of those. Bodies of GET requests are empty. */
  readonly handshake?:
    | ((request: Incoming, tools: HandshakeTools) => MaybePromise<HandshakeAnswer | undefined>)
    | undefined;
  /** The key comes with the handshake: until then a verifier is built with a source of keys that has none, and refuses every delivery. */
  readonly keyFromHandshake?: boolean | undefined;
  /** The sender wants answers to have no body, whether a signature was right or wrong. */
  readonly wantsEmptyAnswers?: boolean | undefined;
  /** The data it was made of by `defineScheme`; signing follows from it where `sign` is absent. */
  readonly layout?: SchemeLayout;
  /** Signs like the sender, where that does not follow from a layout; `message`: as RFC 9421 says. */
  readonly sign?: ((draft: Draft, keys: readonly SigningKey[]) => Promise<SignedRequest>) | "message" | undefined;
}

/** `header:<lower-case name>`, `body:<dotted path>`, or several whose values are joined by a full stop. */
export type Place = PlaceOne | readonly PlaceOne[];
type PlaceOne = `header:${string}` | `body:${string}`;

/** Where keys come from when they are not given as text: a key set by URL, certificates, a look-up of your own. */
export interface KeySource {
  /**
   * Keys that may verify a message which names `keyId` (all of them when it names none); empty when there is none.
   * @throws WebhookVerificationError `key_unavailable`, `key_url_refused`, `certificate_invalid`.
   */
  find(keyId: string | undefined, at: number): MaybePromise<readonly Key[]>;
}
