import type { PublicJwk } from "./signer.ts";

/**
 * `next`: published, so that others learn it before it signs. `active`: signs. `retired`: signs no
 * more; its tokens are valid until it ends.
 */
type SigningKeyState = "next" | "active" | "retired";

/** A key pair that access tokens are signed with. */
export interface StoredSigningKey {
  /** The name by which tokens refer to the key: up to 64 characters of base64url. Unique. */
  readonly kid: string;
  readonly state: SigningKeyState;
  readonly publicKey: PublicJwk;
  /**
   * The private key, encrypted. Up to 16,384 characters. `undefined` for a retired key, which signs
   * nothing.
   */
  readonly sealedKey: string | undefined;
  /** Milliseconds since the epoch, like all times here. */
  readonly createdAt: number;
  /** When it began to sign; `undefined` until then. */
  readonly activeFrom: number | undefined;
  /** From then on its tokens are refused; `undefined` until it is retired. */
  readonly endsAt: number | undefined;
}

/**
 * The keys of access tokens. Driven port; `signingKeyStoreContract` is its definition in code. There
 * is at most one active key and at most one next key at any time.
 */
export interface SigningKeyStore {
  /** All keys, oldest first; of the same time by `kid`. At most 100. */
  list(): Promise<readonly StoredSigningKey[]>;
  /**
   * All keys, locked until the transaction ends. Another transaction that locks them waits, and
   * then sees what became of them. Only inside a transaction.
   */
  hold(): Promise<readonly StoredSigningKey[]>;
  /**
   * Stores a new key, or the key of this `kid` as it is now.
   * @throws AppError `state_conflict` when another key is already active or next, also when two
   *   inserts race.
   */
  save(key: StoredSigningKey): Promise<void>;
  /** Removes keys that ended before `moment`. Returns how many. */
  removeEnded(moment: number): Promise<number>;
}
