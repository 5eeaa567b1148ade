import type { JsonSchema } from "../json-schema/json-schema.ts";

/** A key of a stored provider. Several keys are good at once while one replaces another. */
export interface StoredProviderKey {
  /** A UUID. Later keys have larger ids. */
  readonly id: string;
  /** What the sender's messages call the key, where they name keys. Up to 255 characters. */
  readonly keyId: string | undefined;
  /** The key, encrypted. Up to 16,384 characters. */
  readonly sealedKey: string;
  /** The key is good from this time on (milliseconds since the epoch). */
  readonly notBefore: number;
  /** The key ends at this time; `undefined` while no end is set. */
  readonly notAfter: number | undefined;
}

/** A sender of webhooks that was added at run time, with its keys. Senders of the configuration are not stored. */
export interface StoredProvider {
  /** A UUID. Later providers have larger ids. */
  readonly id: string;
  /** Unique. 1 to 64 characters. */
  readonly name: string;
  /** How the sender signs: the name of a scheme. Up to 64 characters. */
  readonly scheme: string;
  readonly toleranceSeconds: number | undefined;
  /** Whether its secrets may be shorter than 16 bytes: those stored before that was checked may. */
  readonly allowShort: boolean;
  /** Where the sender publishes its keys, when it has a key set instead of keys. */
  readonly jwksUrl: string | undefined;
  /** JSON Schemas of payloads, by event type. */
  readonly schemas: Readonly<Record<string, JsonSchema>> | undefined;
  /** What the scheme needs beside the keys, encrypted. Up to 16,384 characters. */
  readonly sealedSettings: string | undefined;
  /** Oldest first. */
  readonly keys: readonly StoredProviderKey[];
}

/**
 * The senders of webhooks that were added at run time. Driven port; `providerStoreContract` is its definition in code.
 * A provider is read and written as a whole, with its keys.
 */
export interface ProviderStore {
  /** All providers, oldest first. At most 1,000. */
  list(): Promise<readonly StoredProvider[]>;
  /** The provider of this name, compared byte by byte. */
  find(name: string): Promise<StoredProvider | undefined>;
  /**
   * The provider of this name, held until the transaction ends: another transaction that holds it waits, and then sees what
   * became of it. Only inside a transaction.
   */
  hold(name: string): Promise<StoredProvider | undefined>;
  /**
   * Stores the provider and exactly these keys: a new provider, or the one with this id as it is from now on. `now` is
   * the time of the change (milliseconds since the epoch).
   * @throws AppError `conflict` with the pointer `/name` when another provider has the name, also when two inserts race.
   */
  save(provider: StoredProvider, now: number): Promise<void>;
  /** Removes the provider of this name with its keys. Answers false when there was none. */
  remove(name: string): Promise<boolean>;
}
