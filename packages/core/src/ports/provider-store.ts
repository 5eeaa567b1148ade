import type { Dedupe } from "@postern/webhook-verifier";
import type { JsonSchema } from "../json-schema/json-schema.ts";

/** A key of a stored provider. While one key replaces another, both are valid. */
export interface StoredProviderKey {
  /** A UUID. Later keys have larger ids. */
  readonly id: string;
  /** The name of the key in the sender's messages, if they name keys. Up to 255 characters. */
  readonly keyId: string | undefined;
  /** The key, encrypted. Up to 16,384 characters. */
  readonly sealedKey: string;
  /** The key is valid from this time on (milliseconds since the epoch). */
  readonly notBefore: number;
  /** The key ends at this time; `undefined` while no end is set. */
  readonly notAfter: number | undefined;
}

/**
 * A sender of webhooks that was added at run time, with its keys. Senders of the configuration are
 * not stored.
 */
export interface StoredProvider {
  /** A UUID. Later providers have larger ids. */
  readonly id: string;
  /** Unique. 1 to 64 characters. */
  readonly name: string;
  /** How the sender signs: the name of a scheme. Up to 64 characters. */
  readonly scheme: string;
  readonly toleranceSeconds: number | undefined;
  /**
   * Whether its secrets may be shorter than 16 bytes. True for providers that were stored before
   * this was checked.
   */
  readonly allowShort: boolean;
  /** What makes a delivery a repeat; `undefined` if the scheme decides. */
  readonly dedupe: Dedupe | undefined;
  /** Headers that are kept beside those of its scheme, up to 32. Empty for nearly every provider. */
  readonly headers: readonly string[];
  /** Whether a dead event runs again when it is sent again. */
  readonly replayOnResend: boolean;
  /** Whether bodies of refused deliveries are kept for a day. */
  readonly keepRefusedBodies: boolean;
  /** Where the sender publishes its keys, when it has a key set instead of keys. */
  readonly jwksUrl: string | undefined;
  /** JSON Schemas of payloads, by event type. */
  readonly schemas: Readonly<Record<string, JsonSchema>> | undefined;
  /** What the scheme needs in addition to keys, encrypted. Up to 16,384 characters. */
  readonly sealedSettings: string | undefined;
  /** Oldest first. */
  readonly keys: readonly StoredProviderKey[];
  /** Why its definition cannot be read; such a provider takes no webhooks. Absent if it can be. */
  readonly unreadable?: string;
}

/**
 * The senders of webhooks that were added at run time. Driven port; `providerStoreContract` is its
 * definition in code. A provider is read and written as a whole, with its keys.
 */
export interface ProviderStore {
  /** All providers, oldest first. At most 1,000. */
  list(): Promise<readonly StoredProvider[]>;
  /** The provider of this name, compared byte by byte. */
  find(name: string): Promise<StoredProvider | undefined>;
  /**
   * The provider of this name, locked until the transaction ends. Another transaction that locks it
   * waits, and then sees what became of it. Only inside a transaction.
   */
  hold(name: string): Promise<StoredProvider | undefined>;
  /**
   * Stores the provider with exactly these keys, as a new provider or in place of the one with this
   * id. `now` is the time of the change (milliseconds since the epoch).
   * @throws AppError `conflict` with the pointer `/name` when another provider has the name, also
   *   when two inserts race.
   */
  save(provider: StoredProvider, now: number): Promise<void>;
  /** Removes the provider of this name with its keys. Returns false if there was none. */
  remove(name: string): Promise<boolean>;
}
