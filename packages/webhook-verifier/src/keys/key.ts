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
  /** The sender's key id where its messages name one; otherwise your own label. Comes back as `keyId`. */
  readonly id?: string | undefined;
  /** Not used before this time: epoch milliseconds, `Date` or ISO 8601. */
  readonly notBefore?: number | Date | string | undefined;
  /** Not used from this time on; set it on the old key while rotating. */
  readonly notAfter?: number | Date | string | undefined;
  /** Only for schemes that leave the algorithm open (RFC 9421, JWT): the algorithm of this key. A message cannot change it. */
  readonly algorithm?: Algorithm | undefined;
}

/** How one kind of key is written. Reading binds the algorithm to the key. */
export interface KeyNotation {
  /** For people: what the text looks like. */
  readonly about: string;
  /** The algorithms its keys may have; the first is the usual one. */
  readonly algorithms: readonly Algorithm[];
  /** Secret keys are shared with the sender; public ones are not worth stealing. */
  readonly secret: boolean;
  /** @throws WebhookConfigError `key_invalid` */
  verifying(key: KeyText, algorithm?: Algorithm): VerifyingKey;
  /** The sender's private keys, where they differ from what a receiver has: what stands before their text, and what they do. */
  readonly signing?: { readonly prefix: string; readonly algorithms: readonly Algorithm[] };
}

/** @throws WebhookConfigError `key_invalid` for a secret that is too short. */
export const checkLength = (bytes: number, minBytes: number): void => {
  if (bytes < minBytes) invalidKey(`it has ${bytes} bytes; ${minBytes} or more are needed.`);
};

/** Refuses a key without repeating it. */
export const invalidKey = (why: string, cause?: unknown): never =>
  misconfigured("key_invalid", `This key cannot be used: ${why}`, cause);
