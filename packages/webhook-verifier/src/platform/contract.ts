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

/**
 * Key bytes before the platform has taken them in: a secret, SPKI DER or PKCS #8 DER. `keys/spki.ts` has checked that the
 * kind of key is the algorithm's: node:crypto would verify with whatever it is given.
 */
export interface KeyMaterial {
  readonly form: "secret" | "public" | "private";
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

/** A key the platform has taken in. Only the platform that made it looks inside. */
export interface PlatformKey {
  readonly algorithm: Algorithm;
  readonly form: KeyMaterial["form"];
  readonly native: unknown;
}

/** Text is taken as UTF-8. */
export type Piece = string | Uint8Array;

/** The cryptography a platform gives. Two implementations, chosen by the package's `imports`: node:crypto and WebCrypto. */
export interface Platform {
  /** True if `hash` and `mac` never return a promise. */
  readonly immediate: boolean;
  /** @throws if the bytes are no such key; a platform that finds out later lets every use of the key fail instead. */
  importKey(material: KeyMaterial): PlatformKey;
  hash(name: HashName, pieces: readonly Piece[]): MaybePromise<Uint8Array>;
  /** What the signature must be, for keys of form `secret`. */
  mac(key: PlatformKey, pieces: readonly Piece[]): MaybePromise<Uint8Array>;
  /** For keys of form `public`; a signature of the wrong shape is `false` or throws, never `true`. */
  verify(key: PlatformKey, signature: Uint8Array, content: Uint8Array): MaybePromise<boolean>;
  /** For keys of form `private`. */
  sign(key: PlatformKey, content: Uint8Array): MaybePromise<Uint8Array>;
  /** Compares without telling by its duration where the first difference is. */
  equal(left: Uint8Array, right: Uint8Array): boolean;
  random(length: number): Uint8Array;
}

/** For the compiler only: every runtime resolves `#platform` to `node.ts` or `web.ts` (see `imports` in package.json). */
export declare const platform: Platform;
