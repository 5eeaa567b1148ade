import type { algorithms } from "../algorithms.ts";
import type { MaybePromise } from "../runtime.ts";

/** Hash functions that senders use. SHA-1 is only for senders that have nothing better. */
export type HashName = "sha1" | "sha256" | "sha384" | "sha512";

/**
 * What a key does. It belongs to the key, never to the message:
 * - `hmac-*`: keyed hash.
 * - `sha256-prefix`: plain SHA-256 of secret and content (HubSpot v1, v2); `-infix`: the secret comes
 *   after the first piece (Lark); `-suffix`: after the content (Cloudinary).
 * - `token`: the message shows the secret itself.
 * - `ecdsa-<curve>-<hash>`: signature as raw r‖s (IEEE P1363); with `-der` as ASN.1.
 * - `rsa-<hash>`: PKCS #1 v1.5; `rsa-pss-sha512`: PSS with a salt of 64 bytes.
 */
export type Algorithm = (typeof algorithms)[number];

/** Text means its UTF-8 bytes. */
export type Piece = string | Uint8Array;

/** One signature found in a message. */
export interface Candidate {
  readonly bytes: Uint8Array;
  /** The candidate is tried only with keys of this algorithm, or with every key if it is absent. */
  readonly algorithm?: Algorithm;
}

/** A key that checks signatures. Only the platform that made it looks inside. */
export interface VerifyingKey {
  readonly algorithm: Algorithm;
  /**
   * Whether one of `signatures` is right for the content. It skips candidates for another
   * algorithm. A signature of the wrong length is simply wrong: nothing in a message makes this
   * throw.
   */
  holds(signatures: readonly Candidate[], content: readonly Piece[]): MaybePromise<boolean>;
  /** Makes a signature. Only shared secrets have it. */
  sign?(content: readonly Piece[]): MaybePromise<Uint8Array>;
  /** The length of a signing secret. Short secrets can be guessed from one message. */
  readonly secretBytes?: number;
}

/** A key that makes signatures, for the sender's side. */
export interface PrivateKey {
  readonly algorithm: Algorithm;
  sign(content: readonly Piece[]): MaybePromise<Uint8Array>;
}

/**
 * A shared secret, which is the same on both sides. What it signs is the code that a message must
 * carry.
 */
export type SecretKey = VerifyingKey & PrivateKey;

/**
 * Bytes of an asymmetric key before the platform takes them in: SPKI or PKCS #8 in DER.
 * `keys/spki.ts` has checked that the key is of the algorithm's kind, because node:crypto would
 * verify with a key of any kind.
 */
export interface KeyMaterial {
  readonly bytes: Uint8Array;
  readonly algorithm: Algorithm;
  /** The checked members of a JWK, instead of the bytes. */
  readonly jwk?: Readonly<Record<string, string>>;
  /**
   * Converts between ASN.1 and raw ECDSA signatures, for platforms that know only raw ones. Set for
   * `-der` algorithms.
   */
  readonly der?: {
    readonly toRaw: (der: Uint8Array, size: number) => Uint8Array | undefined;
    readonly fromRaw: (raw: Uint8Array) => Uint8Array;
  };
}

/** The members of a notation of keys by which a text is checked that is no key. */
export interface KeyFacts {
  readonly secret: boolean;
  readonly isApiKey?: boolean;
  readonly algorithms: readonly Algorithm[];
}

/** The members of a scheme that say where id, type and data are, and how a body is read. */
export interface BodyPlaces {
  readonly id?: string | readonly string[] | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly data?: string | undefined;
  readonly needsData?: boolean | undefined;
  readonly parse?: unknown;
  readonly items?: unknown;
}

/** What is known of a body of JSON that was not parsed. */
export interface JsonOutline {
  /** How many levels of lists and objects it has. */
  readonly depth: number;
  /** The texts at the places of a scheme; `undefined` for a missing one, or one that is a header. */
  readonly id: string | undefined;
  readonly type: string | undefined;
  /** Whether the data that a scheme needs is an object; `undefined` if it needs none. */
  readonly hasData: boolean | undefined;
}

/**
 * The cryptography of a platform. Each operation is an export of a module, so that a bundle holds
 * only what its schemes use. There are two implementations, node:crypto and WebCrypto. The
 * package's `imports` choose one.
 */
export interface Platform {
  /** True if none of the functions ever returns a promise. */
  readonly immediate: boolean;
  readonly hash: (name: HashName, pieces: readonly Piece[]) => MaybePromise<Uint8Array>;
  /** A hash in lower-case hex. */
  readonly hashHex: (name: HashName, pieces: readonly Piece[]) => MaybePromise<string>;
  /** Compares in constant time. */
  readonly equal: (left: Uint8Array, right: Uint8Array) => boolean;
  readonly random: (length: number) => Uint8Array;
  /**
   * Decodes UTF-8; `undefined` if the bytes are not valid UTF-8. It never replaces a byte, and
   * drops a byte order mark at the beginning.
   */
  readonly textOf: (bytes: Uint8Array) => string | undefined;
  /** The names and values of a form, in their order. */
  readonly formFields: (form: string) => Iterable<readonly [name: string, value: string]>;
  /** The outline of a body of JSON. `undefined` if the body must be parsed. */
  readonly outlineOf: (body: Uint8Array, places: BodyPlaces) => JsonOutline | undefined;
  /**
   * Base64 with these 64 letters: those of RFC 4648, 4, perhaps with padding, or those of RFC 4648, 5,
   * without.
   */
  readonly encode64: (bytes: Uint8Array, alphabet: string) => string;
  /** The bytes of canonical, padded base64 (RFC 4648, 4), or `undefined` for anything else. */
  readonly decodeBase64: (text: string) => Uint8Array | undefined;
  readonly openSecret: (bytes: Uint8Array, algorithm: Algorithm) => SecretKey;
  /**
   * Opens a public key. @throws if the bytes are not such a key. A platform that finds out later
   * makes the key refuse everything.
   */
  readonly openPublic: (material: KeyMaterial) => VerifyingKey;
  /**
   * Opens a private key. @throws as `openPublic`. A platform that finds out later makes every use
   * fail.
   */
  readonly openPrivate: (material: KeyMaterial) => PrivateKey;
  /**
   * Refuses options of a verifier that do not exist. @throws WebhookConfigError `setting_invalid`.
   * Bundles for browsers do not have it, so that they stay small.
   */
  readonly checkOptionNames: (options: object) => void;
  /**
   * Names what people copy along with a key. @throws WebhookConfigError `key_invalid`. Bundles for
   * browsers do not have this either: there such a key is only a wrong one.
   */
  readonly checkKeyText: (notation: KeyFacts, text: string) => void;
}

// This line is only for the compiler. Every runtime resolves `#platform` to `node.ts` or `web.ts`
// (see `imports` in package.json).
export declare const immediate: Platform["immediate"];
export declare const hash: Platform["hash"];
export declare const hashHex: Platform["hashHex"];
export declare const equal: Platform["equal"];
export declare const random: Platform["random"];
export declare const textOf: Platform["textOf"];
export declare const formFields: Platform["formFields"];
export declare const outlineOf: Platform["outlineOf"];
export declare const encode64: Platform["encode64"];
export declare const decodeBase64: Platform["decodeBase64"];
export declare const openSecret: Platform["openSecret"];
export declare const openPublic: Platform["openPublic"];
export declare const openPrivate: Platform["openPrivate"];
export declare const checkOptionNames: Platform["checkOptionNames"];
export declare const checkKeyText: Platform["checkKeyText"];
