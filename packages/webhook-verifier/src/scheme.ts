import type { ParseBody } from "./content.ts";
import type { Key, KeyNotation } from "./keys/key.ts";
import type { Algorithm, Candidate, Piece } from "./platform/contract.ts";
import type { Incoming } from "./request.ts";
import type { MaybePromise, OwnBytes } from "./runtime.ts";
import type { SignatureLayout } from "./signature-header.ts";
import type { TimeUnit } from "./timestamps.ts";

/**
 * A part of the request that the signature authenticates. An attacker can change all other parts.
 * `header:<name>` and `field:<name>` (inside the body) are single values. `sender` means that only
 * the sender's identity is proved.
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

/** What a message claims before anything is verified: these signatures, over this content. */
export interface Assertion {
  /** One to five signatures. */
  readonly signatures: readonly Candidate[];
  /** The signed content in pieces, in order; exactly the bytes that arrived. */
  readonly signed: readonly Piece[];
  /**
   * Other spellings of the signed content, for senders that are not consistent (a default port in a
   * URL). They are tried if `signed` does not fit. The one that fits replaces it.
   */
  readonly alternatives?: () => readonly (readonly Piece[])[];
  /**
   * The content whose digest is the dedupe key, if many deliveries have the same signed content.
   */
  readonly digested?: readonly Piece[];
  /** Epoch milliseconds. */
  readonly timestamp?: number | undefined;
  /** The id of the key that the sender says it used. */
  readonly keyId?: string | undefined;
  /** A covered id that is outside the body. */
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  /** Replaces the scheme's `covered` if the message decides what is covered. */
  readonly covered?: readonly Covered[];
  /**
   * Runs after the signature was found valid. It checks what else must hold (digests, claims) and
   * reads what can be read only now.
   * @throws WebhookVerificationError
   */
  readonly confirm?: (() => MaybePromise<Confirmed | undefined>) | undefined;
}

/** What a claim says only once its signature is valid. It replaces the claim's own values. */
export type Confirmed = Pick<Assertion, "timestamp" | "id" | "type" | "covered">;

/** One event of a batch, as a scheme finds it. */
export interface FoundItem {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly payload: unknown;
}

/**
 * Settings of a receiver that a scheme needs in addition to keys: an audience, a registered URL, a
 * verify token.
 */
export type Settings = { readonly [name: string]: string | readonly string[] | undefined };

/**
 * The place of a signature or secret: `header:<lower-case name>`, or `query:<name>` for a parameter
 * of the URL.
 */
export type Credential = `header:${string}` | `query:${string}`;

/** Says what the setting is for. */
export interface SettingFacts {
  readonly about: string;
  /** Without it no verifier is made. */
  readonly required?: boolean;
  /** Set if the value is the name of a header or query parameter that shows the secret. */
  readonly credential?: "header" | "query";
  /** True if it may be a list. */
  readonly list?: boolean;
}

/** What a scheme is given while it reads a message. */
interface Reading {
  readonly settings: Settings;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** An answer to send back unchanged. */
export interface SenderAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to a handshake. */
export interface HandshakeAnswer extends SenderAnswer {
  /**
   * The key of all later deliveries, if it comes with the handshake (Asana). Keep it before you
   * answer.
   */
  readonly key?: string;
}

/** What the code of a handshake may use. */
interface HandshakeTools extends Reading {
  /** Verifies the request like a delivery and returns its JSON. @throws WebhookVerificationError */
  verified(): Promise<unknown>;
  /**
   * The code that the first valid secret makes over `pieces`. If the request names a key, it is
   * made with the secret of that id, or with one that has no id.
   */
  mac(pieces: readonly Piece[], keyId?: string): Promise<Uint8Array>;
  /** True while the verifier has an empty list of keys, because the sender gives the key later. */
  readonly awaitsKey: boolean;
  /** For handshakes that must call back. `undefined` unless the verifier was given one. */
  readonly fetch: Fetch | undefined;
}

/** The platform's `AbortSignal`, if its types are loaded. */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Found } }
  ? Found
  : unknown;

/**
 * The part of `fetch` that is used. The platform's fits, and so does your own with proxies or
 * limits.
 */
export type Fetch = (
  url: string,
  init: { readonly headers?: Record<string, string>; readonly redirect: "error"; readonly signal?: Signal },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/** What is to be signed, in parts. */
export interface Draft {
  readonly method: string;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OwnBytes;
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
  readonly body: OwnBytes;
  /** The fields to send after the body, if there are any. */
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

/** The sender's keys, at least one. */
export type SigningKeys = readonly [SigningKey, ...SigningKey[]];

/**
 * What makes a delivery a repeat of an earlier one. It counts only for deliveries that have what it
 * names.
 */
export type RepeatRule =
  /** An id that the signature covers. */
  | {
      readonly by: "signed-id";
      /** Its place. Default: the scheme's `id`. */
      readonly id?: Location;
    }
  /**
   * An id that the signature does not cover. Where more than the sender is proved, somebody who has
   * seen a delivery can send it again under another id.
   */
  | {
      readonly by: "unsigned-id";
      /** Its place. Default: the scheme's `id`. */
      readonly id?: Location;
    }
  /**
   * The same body again, within some time. The URL counts too if the signature covers it. The time
   * of signing does not count unless `exact` says so.
   */
  | {
      readonly by: "body";
      /**
       * What the sender changes when it tries again, such as the time of dispatch: dotted paths into
       * JSON, in which `*` stands for every member, or names of form fields.
       */
      readonly without?: readonly string[];
      /**
       * True if all that is signed counts, such as the time: only the very same message is a repeat.
       * For bodies that recur. A message that is signed anew is an event of its own.
       */
      readonly exact?: boolean;
      /** Places outside the body whose values count too, such as a type in a header. */
      readonly with?: Location;
      readonly windowSeconds: number;
    }
  /** No delivery is a repeat: none can be told from a new event. */
  | { readonly by: "none" };

/** Whether the events of a sender have a part such as an id. */
export type Presence =
  /** Each has one: a page of the sender says so, or shows it in every kind of event. */
  | "promised"
  /** Most have one, and the sender sends some without, or lets its user write the body. */
  | "usual"
  /** The sender gives none. */
  | "absent"
  /** No source says. */
  | "unknown";

/** Whether the events of a sender have an id and a type, at the places that the scheme names. */
interface Promises {
  readonly id: Presence;
  readonly type: Presence;
}

/** How certain it is that a scheme matches its sender. */
type Confidence =
  /** Read in the sender's own documentation, SDK or specification. */
  | "confirmed"
  /** Known only from other libraries and guides. */
  | "second-hand"
  /** Common knowledge: no source could be read. */
  | "unconfirmed";

/**
 * What the documentation says about a scheme. The module of a scheme exports it as `facts` beside
 * the scheme. The scheme's page and its docstring in the published types are made from both.
 * Nothing needs it at run time, so bundlers leave it out.
 */
export interface SchemeFacts {
  /**
   * The headers from which the signature is read, in the sender's spelling. Empty if the signature
   * is in the body. This and the next two follow from a layout, and from Standard Webhooks.
   */
  readonly headers?: readonly string[];
  /** The signed content in words or as a template. */
  readonly signed?: string;
  /** How the signature is written: `hex`, `base64`, `JWT`, … */
  readonly encoding?: string;
  /** Where you find the key at the sender. */
  readonly keyFrom: string;
  readonly confidence: Confidence;
  /** The page or source of these facts. */
  readonly source: string;
  /** The handshake in a few words, if there is one. */
  readonly handshake?: string;
  /** Where it is written what makes a delivery a repeat, and what else is to say about that. */
  readonly repeats?: {
    readonly source: string;
    /** How certain that is. Default: `confirmed`. */
    readonly confidence?: Confidence;
    /** Why nothing tells a repeat, in a sentence. Needed where the last rule says so. */
    readonly why?: string;
    /** What an id that is not signed risks, in a sentence, if it is not the usual. */
    readonly risk?: string;
    readonly note?: string;
  };
  /**
   * Where it is written which events have an id and a type, if not on the page of `repeats`, and
   * which ordinary events lack one.
   */
  readonly promises?: { readonly source?: string; readonly note?: string };
  /** What else a receiver should know. */
  readonly notes?: readonly string[];
}

/**
 * Where a sender tells about a delivery. Headers are seldom covered, so use their content for
 * information only.
 */
interface SenderMetadata {
  /** The delivery's id, if it has one besides that of the event. */
  readonly deliveryId?: Location;
  /** A whole number: how often the sender has tried, by the sender's own count. */
  readonly attempt?: Location;
  /** The version of the sender's API that defines the payload. */
  readonly apiVersion?: Location;
}

/**
 * How one sender signs: data, and the few steps that only this sender needs. Make one with
 * `defineScheme`.
 */
export interface Scheme {
  /** Kebab-case; the same name as in `schemes` and as the file. */
  readonly name: string;
  /** The sender's name as the sender writes it. */
  readonly title: string;
  /** How its keys are written. */
  readonly key: KeyNotation;
  /**
   * Default of how many seconds the signed time may be from now, in either direction. `undefined`:
   * the sender signs no time.
   */
  readonly toleranceSeconds?: number | undefined;
  /** The longest body in bytes, if the sender documents a limit. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * The content codings in which its bodies may come. The signature then covers the unpacked bytes,
   * so unpack a body before you pass it on. Postern's server does it itself. Default: none.
   */
  readonly codings?: readonly "gzip"[] | undefined;
  readonly covered: readonly Covered[];
  /**
   * The methods by which the sender calls beside POST. GET and PUT deliver events. HEAD asks only
   * whether the address is there: it is answered 200 and says nothing.
   */
  readonly methods?: readonly ("GET" | "PUT" | "HEAD")[] | undefined;
  /**
   * The headers beside id and type that say something about the event: which shop, which hook. In
   * lower case; `*` at the end of a name stands for any rest. None of them is a credential.
   */
  readonly headers?: readonly string[] | undefined;
  /**
   * Every place outside the body where a signature or a secret of the sender can stand, also one
   * that this scheme does not read. Never store or show what is there. Empty if all are in the body.
   */
  readonly credentials: readonly Credential[];
  /**
   * True if the signature covers the query and the query is the payload of a request without a body.
   */
  readonly queryIsPayload?: true | undefined;
  /**
   * The places of the event's id and type: `header:<name>` or `body:<path>`. Several are joined by
   * a full stop.
   */
  readonly id?: Location | undefined;
  readonly type?: Location | undefined;
  /**
   * Which of the two each event of the sender has. One that is not promised is optional: an event
   * without it is taken, and one without a promised one is malformed. Default: `unknown` for both.
   */
  readonly promises?: Promises | undefined;
  /**
   * The dotted path of the event's data in the payload. The rest tells about the event or the
   * delivery. If it is absent, or an event has nothing at this path, the whole payload is the data.
   * In a batch, payloads are those of its items.
   */
  readonly data?: string | undefined;
  /** True if every event of the sender has an object at `data`. An event without it is malformed. */
  readonly needsData?: boolean | undefined;
  /**
   * Members of the payload that are beside the data and never in it, for senders that list them.
   */
  readonly beside?: readonly string[] | undefined;
  readonly metadata?: SenderMetadata | undefined;
  /**
   * What makes a delivery a repeat. The first rule that a delivery fits decides. If they all go by
   * ids and it has none, all that is signed decides for an hour, where the body is signed; else it
   * is no repeat. Events of a batch that have an id of their own are told apart by that.
   * Default: an id that the signature covers, else the signed content; if only the sender is
   * proved, an id in the body, else nothing.
   */
  readonly repeats?: readonly RepeatRule[] | undefined;
  readonly settings?: Readonly<Record<string, SettingFacts>> | undefined;
  /**
   * Reads the claims of a message. Every one of them must be proved. @throws
   * WebhookVerificationError
   */
  read(request: Incoming, reading: Reading): MaybePromise<readonly Assertion[]>;
  /** Parses the body if it is not JSON. `undefined` for a body that it cannot read. */
  readonly parse?: ParseBody | undefined;
  /**
   * Whether every delivery of the sender has a body that can be read (`promised`), or some have one
   * that only your own code can read: XML, text, or none (`usual`). Default: `promised`.
   */
  readonly json?: "promised" | "usual" | undefined;
  /** The events of a batch; `undefined` if the delivery is one event. */
  readonly items?: ((payload: unknown) => readonly FoundItem[] | undefined) | undefined;
  /**
   * Answers a request that is a handshake; `undefined` for any other request. Bodies of GET
   * requests are empty.
   */
  readonly handshake?:
    | ((request: Incoming, tools: HandshakeTools) => MaybePromise<HandshakeAnswer | undefined>)
    | undefined;
  /**
   * The answers that `handshake` gives, for those who describe the receiver: the method by which the
   * sender asks, the status (default: 200), and the media type of the body, if there is one.
   */
  readonly handshakes?: readonly {
    readonly by: "GET" | "HEAD" | "POST" | "OPTIONS";
    readonly status?: number;
    readonly type?: string;
  }[];
  /**
   * Set if the sender calls the URL before it gives the key: the key comes with that call
   * (`handshake`), or after it (`check`). Until then you make the verifier with `keys: []`. It
   * answers the call and refuses every delivery.
   */
  readonly keyComes?: "handshake" | "check" | undefined;
  /**
   * The answer that the sender needs to a delivery that was accepted, or came before. Default: 200,
   * with any body. If this body is empty, a refusal must have none, too.
   */
  readonly answer?: SenderAnswer | undefined;
  /** The layout that `defineScheme` was given. Signing follows from it if `sign` is absent. */
  readonly layout?: SchemeLayout;
  /**
   * Signs like the sender, if that does not follow from a layout: gives what is not as in the draft,
   * and the headers to add. There is at least one key. `message`: as RFC 9421 says.
   * `standard-webhooks`: as that specification says, with headers named like that of `id`.
   */
  readonly sign?:
    | ((draft: Draft, keys: SigningKeys) => Promise<Partial<SignedRequest>>)
    | "message"
    | "standard-webhooks"
    | undefined;
}

/**
 * A scheme as data. It serves every sender that signs a template of request parts and puts the
 * result into headers.
 */
export interface SchemeLayout extends Pick<Scheme, "name" | "key" | LayoutPart> {
  /** The name as the sender writes it. Default: `name`. */
  readonly title?: string;
  readonly signature: SignatureLayout;
  /**
   * The signed content: `{id}`, `{timestamp}`, `{method}`, `{url}`, `{body}`, `{body-sha256}`,
   * `{key-id}`, `{header:<name>}`, and text between them.
   */
  readonly signed: string;
  /**
   * The time of signing. Without `header` and `body` (a dotted path) it is in the signature header.
   * Leave `toleranceSeconds` out if the sender asks for no window.
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
  /** Places beside the headers of `signature`. */
  readonly credentials?: Scheme["credentials"];
  /**
   * Overrides what follows from the template, for schemes whose signature does not authenticate the
   * parts that it is made of.
   */
  readonly covered?: readonly Covered[];
}

/** What layouts say in the same words as a scheme. */
export type LayoutPart =
  | "answer"
  | "beside"
  | "codings"
  | "data"
  | "handshake"
  | "handshakes"
  | "headers"
  | "id"
  | "items"
  | "json"
  | "keyComes"
  | "maxBodyBytes"
  | "metadata"
  | "methods"
  | "needsData"
  | "parse"
  | "promises"
  | "queryIsPayload"
  | "repeats"
  | "settings"
  | "type";

/**
 * `header:<lower-case name>`, `body:<dotted path>`, or several whose values are joined by a full
 * stop. Names with `|` between them are alternatives: the first one that is present counts
 * (`body:object_kind|event_name`).
 */
export type Location = LocationOne | readonly LocationOne[];
type LocationOne = `header:${string}` | `body:${string}`;

/**
 * Where keys come from if you do not give them directly: a key set by URL, certificates, a look-up
 * of your own.
 */
export interface KeySource {
  /**
   * The keys that may verify a message which names `keyId`, or all keys if it names none. Empty if
   * there is none.
   * @throws WebhookVerificationError `key_unavailable`, `key_url_refused`, `certificate_invalid`.
   */
  find(keyId: string | undefined, at: number): MaybePromise<readonly Key[]>;
}
