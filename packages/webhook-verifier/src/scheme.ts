import type { Key, KeyNotation } from "./keys/key.ts";
import type { Algorithm, Candidate, Piece } from "./platform/contract.ts";
import type { Incoming } from "./request.ts";
import type { MaybePromise } from "./runtime.ts";
import type { SignatureLayout } from "./signature-header.ts";
import type { TimeUnit } from "./timestamps.ts";

/**
 * A part of the request that the signature authenticates. An attacker can change everything else.
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
export interface Assertion {
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
  readonly timestamp?: number | undefined;
  /** Which key the sender says it used. */
  readonly keyId?: string | undefined;
  /** A covered id that stands outside the body. */
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  /** In place of the scheme's `covered`, where the message decides. */
  readonly covered?: readonly Covered[];
  /**
   * What must hold besides the signature (digests, claims), and what can only be read once it held; runs after it.
   * @throws WebhookVerificationError
   */
  readonly confirm?: (() => MaybePromise<Confirmed | undefined>) | undefined;
}

/** What a claim says only after its signature held; takes the place of the claim's own. */
export type Confirmed = Pick<Assertion, "timestamp" | "id" | "type" | "covered">;

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
  /** The fields to send after the body, where there are any. */
  readonly trailers?: Readonly<Record<string, string>>;
}

/** A response as its sender would send it. */
export interface SignedResponse extends Omit<SignedRequest, "method" | "url"> {
  readonly status: number;
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

/**
 * What the documentation says about a scheme. The module of a scheme exports it beside the scheme, as
 * `facts`: nothing needs it at run time, so bundlers leave it out.
 */
export interface SchemeFacts {
  /**
   * The headers that the signature is read from, in the sender's spelling. Empty when the signature is in
   * the body. This and the next two follow from the layout of schemes that have one.
   */
  readonly headers?: readonly string[];
  /** The signed content in words or as a template. */
  readonly signed?: string;
  /** How the signature is written: `hex`, `base64`, `JWT`, … */
  readonly encoding?: string;
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

/** Where a sender tells about a delivery. What stands in a header is seldom covered: believe it for information only. */
export interface SenderMetadata {
  /** The delivery's id, where it has one beside the event's. */
  readonly deliveryId?: Location;
  /** A whole number: how often the sender has tried, as the sender counts. */
  readonly attempt?: Location;
  /** The version of the sender's API that the payload is written in. */
  readonly apiVersion?: Location;
}

/** One sender's way of signing: data plus the few steps that are its own. Make one with `defineScheme`. */
export interface Scheme {
  /** Kebab-case, the same as in `schemes` and as the file. */
  readonly name: string;
  /** The sender's name as the sender writes it. */
  readonly title: string;
  /** How its keys are written. */
  readonly key: KeyNotation;
  /** Default window both ways; undefined: the sender signs no time. */
  readonly toleranceSeconds?: number | undefined;
  /** The longest body, in bytes, where the sender documents a limit. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  readonly covered: readonly Covered[];
  /** Where the event's id and type stand: `header:<name>` or `body:<path>`; several are joined by a full stop. */
  readonly id?: Location | undefined;
  readonly type?: Location | undefined;
  /** What only some of its deliveries have: where it is missing, that is no fault. */
  readonly optional?: readonly ("id" | "type")[] | undefined;
  /**
   * The part of the payload that is the event's data, by dotted path; the rest tells about the event or the delivery.
   * Absent: the whole payload is the data. So is the payload of an event that has nothing at this path. In a batch,
   * payloads are those of its items.
   */
  readonly data?: string | undefined;
  /** Members of the payload that stand beside the data and never in it, for senders that list them. */
  readonly beside?: readonly string[] | undefined;
  readonly metadata?: SenderMetadata | undefined;
  readonly settings?: Readonly<Record<string, SettingFacts>> | undefined;
  /** Reads the claims of a message; every one of them must hold. @throws WebhookVerificationError */
  read(request: Incoming, reading: Reading): MaybePromise<readonly Assertion[]>;
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
  /**
   * Signs like the sender, where that does not follow from a layout; `message`: as RFC 9421 says; `standard-webhooks`: as
   * that specification says, with the prefix of the header that `id` names.
   */
  readonly sign?:
    | ((draft: Draft, keys: readonly SigningKey[]) => Promise<SignedRequest>)
    | "message"
    | "standard-webhooks"
    | undefined;
}

/** A scheme in data: enough for every sender that signs a template of request parts and puts the result into headers. */
export interface SchemeLayout {
  /** Kebab-case. */
  readonly name: string;
  /** The name as the sender writes it. Default: `name`. */
  readonly title?: string;
  /** How keys are written, and with them the algorithm: `textSecret("hmac-sha256")`, `publicKey("ed25519")`, … */
  readonly key: KeyNotation;
  readonly signature: SignatureLayout;
  /**
   * The signed content: `{id}`, `{timestamp}`, `{method}`, `{url}`, `{body}`, `{body-sha256}`, `{key-id}`,
   * `{header:<name>}` and text between them.
   */
  readonly signed: string;
  /**
   * The time of signing. Neither `header` nor `body` (a dotted path): it stands in the signature header.
   * `toleranceSeconds` is left out when the sender asks for no window.
   */
  readonly timestamp?: {
    readonly header?: string;
    readonly body?: string;
    readonly unit: TimeUnit;
    readonly toleranceSeconds?: number;
  };
  /** The header of a covered id, for templates with `{id}`. */
  readonly idHeader?: string;
  /** The header that names the key. */
  readonly keyIdHeader?: string;
  /** Where the event's id and type stand otherwise. */
  readonly id?: Location;
  readonly type?: Location;
  /** As in `Scheme`. */
  readonly data?: string;
  readonly beside?: readonly string[];
  readonly metadata?: SenderMetadata;
  /** Overrides what follows from the template, for schemes whose signature does not authenticate what it is made of. */
  readonly covered?: readonly Covered[];
  readonly settings?: Readonly<Record<string, SettingFacts>>;
  readonly parse?: Scheme["parse"];
  readonly items?: Scheme["items"];
  readonly handshake?: Scheme["handshake"];
}

/**
 * `header:<lower-case name>`, `body:<dotted path>`, or several whose values are joined by a full stop. Names
 * with `|` between them are alternatives: the first that is there counts (`body:object_kind|event_name`).
 */
export type Location = LocationOne | readonly LocationOne[];
type LocationOne = `header:${string}` | `body:${string}`;

/** Where keys come from when they are not given as text: a key set by URL, certificates, a look-up of your own. */
export interface KeySource {
  /**
   * Keys that may verify a message which names `keyId` (all of them when it names none); empty when there is none.
   * @throws WebhookVerificationError `key_unavailable`, `key_url_refused`, `certificate_invalid`.
   */
  find(keyId: string | undefined, at: number): MaybePromise<readonly Key[]>;
}
