import { refuse, WebhookVerificationError } from "../errors.ts";
import type { KeySource } from "../scheme.ts";
import type { Key } from "./key.ts";

/** How looked-up keys are kept. */
export interface KeyLookupOptions {
  /** How long a key is used without asking again; 86400 unless given. */
  readonly maxAgeSeconds?: number | undefined;
  /** Shortest time between two look-ups that find nothing; 10 unless given. */
  readonly minIntervalSeconds?: number | undefined;
  /** How many keys are kept; 100 unless given. */
  readonly maxKeys?: number | undefined;
}

interface Kept {
  readonly keys: readonly Key[];
  readonly at: number;
}

/**
 * Keys that have to be asked for one by one, such as Plaid's and eBay's behind their APIs: `find` is called with the key id
 * of a message and gives the key, or `undefined` when the sender has none of that id. What it gives is kept; ids nobody
 * knows cannot make it run more often than `minIntervalSeconds`.
 */
export const keyLookup = (
  find: (keyId: string) => Promise<Key | undefined>,
  { maxAgeSeconds = 86_400, minIntervalSeconds = 10, maxKeys = 100 }: KeyLookupOptions = {},
): KeySource => {
  const known = new Map<string, Kept>();
  let lastMiss = Number.NEGATIVE_INFINITY;
  const ask = async (keyId: string, at: number): Promise<readonly Key[]> => {
    let key: Key | undefined;
    try {
      key = await find(keyId);
    } catch (cause) {
      if (cause instanceof WebhookVerificationError) throw cause;
      return refuse("key_unavailable", "The sender's key could not be looked up.", cause);
    }
    if (key === undefined) {
      lastMiss = at;
      return [];
    }
    // The id the sender gave is the id asked for, whatever the look-up calls it.
    const keys = [{ ...key, id: keyId }];
    const oldest = known.keys().next().value;
    if (known.size >= maxKeys && oldest !== undefined) known.delete(oldest);
    known.set(keyId, { keys, at });
    return keys;
  };
  return {
    find: async (keyId, at) => {
      if (keyId === undefined) return [];
      const kept = known.get(keyId);
      if (kept !== undefined && at - kept.at < maxAgeSeconds * 1000) return kept.keys;
      if (at - lastMiss < minIntervalSeconds * 1000) return [];
      return ask(keyId, at);
    },
  };
};
