import { misconfigured } from "../errors.ts";
import type { Algorithm, VerifyingKey } from "../platform/contract.ts";

/** A JSON Web Key (RFC 7517), public or private. */
export interface Jwk {
  readonly kty: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
  readonly d?: string;
  readonly k?: string;
  readonly [member: string]: unknown;
}

/** A key as written: the sender's own text, the bytes themselves, or a JWK. */
export type KeyText = string | Uint8Array | Jwk;

/** A key with what is known about it. */
export interface Key {
  readonly key: KeyText;
  /**
   * The sender's key id if its messages name one, otherwise your own label. A delivery returns it
   * as `keyId`.
   */
  readonly id?: string | undefined;
  /** The key is not used before this time: milliseconds since the epoch, `Date` or ISO 8601. */
  readonly notBefore?: number | Date | string | undefined;
  /** The key is not used from this time on. Set it on the old key while you rotate. */
  readonly notAfter?: number | Date | string | undefined;
  /**
   * The algorithm of this key, for schemes that leave it open (RFC 9421, JWT). A message cannot
   * change it.
   */
  readonly algorithm?: Algorithm | undefined;
}

/** How one kind of key is written. Reading a key binds it to its algorithm. */
export interface KeyNotation {
  /** Describes the text to people. */
  readonly about: string;
  /** The algorithms its keys may have; the first is the usual one. */
  readonly algorithms: readonly Algorithm[];
  /** `secret` keys are shared with the sender. `public` ones are not worth stealing. */
  readonly secret: boolean;
  /**
   * How many bytes a secret that signs must have. Default: 16, because NIST SP 800-107, 5.3.2
   * requires at least 112 bits of an HMAC key.
   */
  readonly minSecretBytes?: number;
  /** True if the sender signs with its API key, so that such a key is no mistake. */
  readonly isApiKey?: boolean;
  /** @throws WebhookConfigError `key_invalid` */
  verifying(key: KeyText, algorithm?: Algorithm): VerifyingKey;
  /**
   * The sender's private keys, if they differ from the keys of a receiver: what precedes their
   * text, and how they sign.
   */
  readonly signing?: { readonly prefix: string; readonly algorithms: readonly Algorithm[] };
}

/** @throws WebhookConfigError `key_invalid` for a secret that is too short. */
export const checkLength = (bytes: number, minBytes: number, advice = ""): void => {
  if (bytes < minBytes) invalidKey(`it has ${bytes} bytes; ${minBytes} or more are needed${advice}.`);
};

/** Refuses a key without quoting it. */
export const invalidKey = (why: string, cause?: unknown): never =>
  misconfigured("key_invalid", `This key cannot be used: ${why}`, cause);
