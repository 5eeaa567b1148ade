import type { MaybePromise } from "../runtime.ts";

/** Hash functions senders use. SHA-1 only where a sender has nothing better. */
export type HashName = "sha1" | "sha256" | "sha384" | "sha512";

/**
 * What a key does. It belongs to the key, never to the message:
 * - `hmac-*`: keyed hash.
 * - `sha256-prefix`: plain SHA-256 of secret and content (HubSpot v1, v2).
 * - `token`: the message shows the secret itself.
 * - `ecdsa-<curve>-<hash>`: signature as raw r‖s (IEEE P1363); with `-der` as ASN.1.
 * - `rsa-<hash>`: PKCS #1 v1.5; `rsa-pss-sha512`: PSS with a salt of 64 bytes.
 */
export type Algorithm =
  | "hmac-sha1"
  | "hmac-sha256"
  | "hmac-sha384"
  | "hmac-sha512"
  | "sha256-prefix"
  | "token"
  | "ed25519"
  | "ecdsa-p256-sha256"
  | "ecdsa-p256-sha256-der"
  | "ecdsa-p256-sha1-der"
  | "ecdsa-p256-sha384-der"
  | "ecdsa-p384-sha256-der"
  | "ecdsa-p384-sha384"
  | "ecdsa-p384-sha384-der"
  | "ecdsa-p521-sha512"
  | "rsa-sha1"
  | "rsa-sha256"
  | "rsa-sha384"
  | "rsa-sha512"
  | "rsa-pss-sha512";

/** Text is taken as UTF-8. */
export type Piece = string | Uint8Array;

/** One signature found in a message. */
export interface Candidate {
  readonly bytes: Uint8Array;
  /** Tried only with keys of this algorithm; absent: with every key. */
  readonly algorithm?: Algorithm;
}

/** A key that judges signatures. Only the platform that made it looks inside. */
export interface VerifyingKey {
  readonly algorithm: Algorithm;
  /**
   * Whether one of `signatures` is right for the content. Candidates for another algorithm are passed over, and one of a wrong
   * shape is a wrong one: this never throws for what stands in a message.
   */
  holds(signatures: readonly Candidate[], content: readonly Piece[]): MaybePromise<boolean>;
  /** Only shared secrets sign as well. */
  sign?(content: readonly Piece[]): MaybePromise<Uint8Array>;
  /** How long a secret is that signs: short ones can be guessed from one message. */
  readonly secretBytes?: number;
}

/** A key that makes signatures: the sender's side. */
export interface PrivateKey {
  readonly algorithm: Algorithm;
  sign(content: readonly Piece[]): MaybePromise<Uint8Array>;
}

/** A shared secret: the same on both sides. What it signs is the code that a message must carry. */
export type SecretKey = VerifyingKey & PrivateKey;

/**
 * Bytes of an asymmetric key before the platform has taken them in: SPKI or PKCS #8 in DER. `keys/spki.ts` has checked that the
 * kind of key is the algorithm's: node:crypto would verify with a key of any kind.
 */
export interface KeyMaterial {
  readonly bytes: Uint8Array;
  readonly algorithm: Algorithm;
  /** In place of the bytes: members of a JWK, checked. */
  readonly jwk?: Readonly<Record<string, string>>;
  /** Between ASN.1 and raw ECDSA signatures, for platforms that know only the raw ones; set with `-der` algorithms. */
  readonly der?: {
    readonly toRaw: (der: Uint8Array, size: number) => Uint8Array | undefined;
    readonly fromRaw: (raw: Uint8Array) => Uint8Array;
  };
}

/**
 * The cryptography a platform gives, as the exports of a module, so that a bundle holds only what its schemes use. Two
 * implementations, chosen by the package's `imports`: node:crypto and WebCrypto.
 */
export interface Platform {
  /** True if nothing of it ever returns a promise. */
  readonly immediate: boolean;
  readonly hash: (name: HashName, pieces: readonly Piece[]) => MaybePromise<Uint8Array>;
  /** A hash in lower-case hex. */
  readonly hashHex: (name: HashName, pieces: readonly Piece[]) => MaybePromise<string>;
  /** Compares without telling by its duration where the first difference is. */
  readonly equal: (left: Uint8Array, right: Uint8Array) => boolean;
  readonly random: (length: number) => Uint8Array;
  /** Bytes as text, or `undefined` when they are not valid UTF-8. Never replaces a byte; a mark at the beginning is left out. */
  readonly textOf: (bytes: Uint8Array) => string | undefined;
  /** The bytes of canonical, padded base64 (RFC 4648, 4), or `undefined` for anything else. */
  readonly decodeBase64: (text: string) => Uint8Array | undefined;
  readonly openSecret: (bytes: Uint8Array, algorithm: Algorithm) => SecretKey;
  /** @throws if the bytes are no such key; a platform that finds out later lets the key hold nothing instead. */
  readonly openPublic: (material: KeyMaterial) => VerifyingKey;
  /** @throws as `openPublic`; a platform that finds out later lets every use fail. */
  readonly openPrivate: (material: KeyMaterial) => PrivateKey;
}

// For the compiler only: every runtime resolves `#platform` to `node.ts` or `web.ts` (see `imports` in package.json).
export declare const immediate: Platform["immediate"];
export declare const hash: Platform["hash"];
export declare const hashHex: Platform["hashHex"];
export declare const equal: Platform["equal"];
export declare const random: Platform["random"];
export declare const textOf: Platform["textOf"];
export declare const decodeBase64: Platform["decodeBase64"];
export declare const openSecret: Platform["openSecret"];
export declare const openPublic: Platform["openPublic"];
export declare const openPrivate: Platform["openPrivate"];
