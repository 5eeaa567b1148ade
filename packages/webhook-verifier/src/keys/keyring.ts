import { platform } from "#platform";
import { misconfigured, refuse, WebhookConfigError } from "../errors.ts";
import type { Algorithm, KeyMaterial, PlatformKey } from "../platform/contract.ts";
import { isBytes, isPromise, type MaybePromise } from "../runtime.ts";
import type { KeySource, Scheme } from "../scheme.ts";
import { invalidKey, type Key, type KeyText } from "./key.ts";

/** Everything `keys` may be: text in the sender's notation, a JWK, several of them, or a source. */
export type Keys = KeyText | Key | readonly (KeyText | Key)[] | KeySource;

/** A key ready for use. */
export interface ReadyKey {
  readonly native: PlatformKey;
  readonly id: string | undefined;
  readonly notBefore: number;
  readonly notAfter: number;
}

// Arrays, those of bytes too, have a `find` of their own.
const isSource = (keys: Keys): keys is KeySource =>
  typeof (keys as Partial<KeySource>)?.find === "function" && !Array.isArray(keys) && !ArrayBuffer.isView(keys);
const isKey = (entry: KeyText | Key): entry is Key => typeof entry === "object" && !isBytes(entry) && "key" in entry;

const timeOf = (time: Key["notBefore"], otherwise: number): number => {
  if (time === undefined) return otherwise;
  const epochMs = typeof time === "string" ? Date.parse(time) : Number(time);
  return Number.isNaN(epochMs) ? invalidKey("notBefore or notAfter is not a time.") : epochMs;
};

/** Makes material of a key as written. */
export type TakeKey = (key: KeyText, algorithm?: Algorithm) => KeyMaterial;

/** Takes one key in. @throws WebhookConfigError `key_invalid` */
const readyKey = (scheme: Scheme, entry: KeyText | Key, take: TakeKey = scheme.key.verifying): ReadyKey => {
  const { key, id, notBefore, notAfter, algorithm }: Key = isKey(entry) ? entry : { key: entry };
  const usable = isBytes(key) || (typeof key === "string" ? key !== "" : typeof key === "object" && key !== null);
  if (!usable) return invalidKey(`${scheme.name} needs ${scheme.key.about}; it is empty or not text.`);
  const material = take(key, algorithm);
  if (algorithm !== undefined && material.algorithm !== algorithm)
    return invalidKey(`${scheme.name} does not use ${algorithm} with it.`);
  try {
    return {
      native: platform.importKey(material),
      id,
      notBefore: timeOf(notBefore, Number.NEGATIVE_INFINITY),
      notAfter: timeOf(notAfter, Number.POSITIVE_INFINITY),
    };
  } catch (cause) {
    return invalidKey(`${scheme.name} needs ${scheme.key.about}.`, cause);
  }
};

/** The keys given outright, taken in. @throws WebhookConfigError `key_missing`, `key_invalid` */
export const readyKeys = (scheme: Scheme, keys: Exclude<Keys, KeySource>, take?: TakeKey): ReadyKey[] => {
  // A cast because Array.isArray does not narrow read-only arrays.
  const list = (Array.isArray(keys) ? keys : [keys]) as readonly (KeyText | Key)[];
  if (list.length === 0 || keys === undefined)
    misconfigured("key_missing", `${scheme.name} needs a key: ${scheme.key.about}.`);
  return list.map((entry) => readyKey(scheme, entry, take));
};

/** The keys of one verifier. */
export interface Keyring {
  /** True if `find` never returns a promise: the keys were given outright. */
  readonly immediate: boolean;
  /** Keys valid at `at` that may verify a message which names `keyId`. @throws WebhookVerificationError `key_unknown` */
  find(keyId: string | undefined, at: number): MaybePromise<readonly ReadyKey[]>;
}

const unknown = (keyId: string | undefined): never =>
  refuse(
    "key_unknown",
    keyId === undefined ? "No key is valid now." : "No key valid now has the id the message names.",
  );

const isChosen = ({ id, notBefore, notAfter }: ReadyKey, keyId: string | undefined, at: number): boolean =>
  at >= notBefore && at < notAfter && (keyId === undefined || id === undefined || id === keyId);

const chosen = (keys: readonly ReadyKey[], keyId: string | undefined, at: number): readonly ReadyKey[] => {
  // Nearly always all are: then no new list is made.
  let every = keys.length > 0;
  for (let index = 0; index < keys.length && every; index++) {
    const key = keys[index];
    every = key !== undefined && isChosen(key, keyId, at);
  }
  if (every) return keys;
  const fitting = keys.filter((key) => isChosen(key, keyId, at));
  return fitting.length > 0 ? fitting : unknown(keyId);
};

const usableKey = (scheme: Scheme, key: Key): ReadyKey | undefined => {
  try {
    return readyKey(scheme, key);
  } catch (error) {
    if (error instanceof WebhookConfigError) return undefined;
    throw error;
  }
};

/** Opens the keys for verification. @throws WebhookConfigError `key_missing`, `key_invalid` */
export const openKeyring = (scheme: Scheme, keys: Keys): Keyring => {
  if (!isSource(keys)) {
    const ready = readyKeys(scheme, keys);
    return { immediate: true, find: (keyId, at) => chosen(ready, keyId, at) };
  }
  // A source hands out the same objects again and again; each is taken in once. One that is no key for this scheme
  // (published sets hold others too) is passed over.
  const known = new WeakMap<Key, ReadyKey | undefined>();
  const take = (found: readonly Key[]): ReadyKey[] => {
    const ready: ReadyKey[] = [];
    for (const key of found) {
      if (!known.has(key)) known.set(key, usableKey(scheme, key));
      const taken = known.get(key);
      if (taken !== undefined) ready.push(taken);
    }
    return ready;
  };
  return {
    immediate: false,
    find: (keyId, at) => {
      const found = keys.find(keyId, at);
      return isPromise(found) ? found.then((list) => chosen(take(list), keyId, at)) : chosen(take(found), keyId, at);
    },
  };
};
