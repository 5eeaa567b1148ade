import { misconfigured, refuse, WebhookConfigError } from "../errors.ts";
import type { Algorithm, VerifyingKey } from "../platform/contract.ts";
import { after, isBytes, type MaybePromise } from "../runtime.ts";
import type { KeySource, Scheme } from "../scheme.ts";
import { checkLength, invalidKey, type Key, type KeyText } from "./key.ts";

/** Keys given outright: text in the sender's notation, a JWK, or several of them. */
export type GivenKeys = KeyText | Key | readonly (KeyText | Key)[];

/**
 * Everything `keys` may be: keys, a source, or a function that gives one of these when the first message needs it (an environment
 * variable that a build does not have, a secret store). The function is called until it gives usable keys, once at a time.
 */
export type Keys = GivenKeys | KeySource | (() => MaybePromise<GivenKeys | KeySource | undefined>);

/** A key taken in, and when it may be used. */
export interface ReadyKey<Taken = VerifyingKey> {
  readonly taken: Taken;
  readonly id: string | undefined;
  readonly notBefore: number;
  readonly notAfter: number;
}

// Arrays, those of bytes too, have a `find` of their own.
const isSource = (keys: GivenKeys | KeySource): keys is KeySource =>
  typeof (keys as Partial<KeySource>)?.find === "function" && !Array.isArray(keys) && !isBytes(keys);
const isKey = (entry: KeyText | Key): entry is Key =>
  typeof entry === "object" && !isBytes(entry) && "key" in (entry ?? []);

const timeOf = (time: NonNullable<Key["notBefore"]>): number => {
  const epochMs = typeof time === "string" ? Date.parse(time) : Number(time);
  return Number.isNaN(epochMs) ? invalidKey("notBefore or notAfter is not a time.") : epochMs;
};

/** Takes in a key as written. @throws WebhookConfigError `key_invalid`, or whatever a platform throws */
export type TakeKey<Taken> = (key: KeyText, algorithm?: Algorithm) => Taken;

/** @throws WebhookConfigError `key_invalid` */
const readyKey = <Taken extends { readonly algorithm: Algorithm }>(
  { name, key: { about } }: Scheme,
  entry: KeyText | Key,
  take: TakeKey<Taken>,
): ReadyKey<Taken> => {
  const { key, id, notBefore, notAfter, algorithm }: Key = isKey(entry) ? entry : { key: entry };
  try {
    const taken = take(key, algorithm);
    if (algorithm === undefined || taken.algorithm === algorithm)
      return {
        taken,
        id,
        notBefore: timeOf(notBefore ?? 0),
        notAfter: timeOf(notAfter ?? Number.POSITIVE_INFINITY),
      };
  } catch (cause) {
    if (cause instanceof WebhookConfigError) throw cause;
    return invalidKey(`${name} needs ${about}.`, cause);
  }
  return invalidKey(`${name} does not use ${algorithm} with it.`);
};

/** The keys given outright, taken in. @throws WebhookConfigError `key_missing`, `key_invalid` */
export const readyKeys = <Taken extends { readonly algorithm: Algorithm }>(
  scheme: Scheme,
  keys: GivenKeys,
  take: TakeKey<Taken>,
): ReadyKey<Taken>[] => {
  // A cast because Array.isArray does not narrow read-only arrays.
  const list = (Array.isArray(keys) ? keys : [keys]) as readonly (KeyText | Key)[];
  if (list.length === 0 || keys === undefined)
    misconfigured("key_missing", `${scheme.name} needs a key: ${scheme.key.about}.`);
  return list.map((entry) => readyKey(scheme, entry, take));
};

/**
 * Gives the keys valid at `at` that may verify a message which names `keyId`; at once if the keys were given outright.
 * @throws WebhookVerificationError `key_unknown`
 */
export type FindKeys = (keyId: string | undefined, at: number) => MaybePromise<readonly ReadyKey[]>;

const chosen = (keys: readonly ReadyKey[], keyId: string | undefined, at: number): readonly ReadyKey[] => {
  const fits = ({ id, notBefore, notAfter }: ReadyKey): boolean =>
    at >= notBefore && at < notAfter && (keyId === undefined || id === undefined || id === keyId);
  // Nearly always all are: then no new list is made.
  const fitting = keys.every(fits) ? keys : keys.filter(fits);
  return fitting.length > 0
    ? fitting
    : refuse("key_unknown", "No key fits: none is valid now, or none has the id in the message.");
};

/** Shortest secret that signs, in bytes. NIST SP 800-107, 5.3.2 asks for no less than 112 bits of an HMAC key. */
const minSecretBytes = 16;

/** Keys that are not known yet. Deliveries that arrive while they are loaded wait for the same call. */
const openLater = (load: () => Promise<FindKeys>): FindKeys => {
  let find: FindKeys | undefined;
  let loading: Promise<FindKeys> | undefined;
  return (keyId, at) => {
    if (find !== undefined) return find(keyId, at);
    loading ??= load()
      .then(
        (opened) => {
          find = opened;
          return opened;
        },
        (cause: unknown) => refuse("key_unavailable", "Your keys could not be loaded; the cause says why.", cause),
      )
      .finally(() => {
        loading = undefined;
      });
    return loading.then((opened) => opened(keyId, at));
  };
};

/** Opens the keys for verification. @throws WebhookConfigError `key_missing`, `key_invalid` */
export const openKeyring = (scheme: Scheme, keys: Keys, allowShort = false): FindKeys => {
  if (typeof keys === "function")
    // What is missing is `undefined`, which `readyKeys` refuses: the cast says no more.
    return openLater(async () => openKeyring(scheme, (await keys()) as GivenKeys | KeySource, allowShort));
  const verifying: TakeKey<VerifyingKey> = (text, algorithm) => {
    const key = scheme.key.verifying(text, algorithm);
    if (key.secretBytes !== undefined && !allowShort) checkLength(key.secretBytes, minSecretBytes);
    return key;
  };
  if (!isSource(keys)) {
    const ready = readyKeys(scheme, keys, verifying);
    return (keyId, at) => chosen(ready, keyId, at);
  }
  // A source hands out the same objects again and again; each is taken in once. One that is no key for this scheme
  // (published sets hold others too) is passed over.
  const known = new WeakMap<Key, readonly ReadyKey[]>();
  const take = (key: Key): readonly ReadyKey[] => {
    let taken = known.get(key);
    if (taken === undefined) {
      try {
        taken = [readyKey(scheme, key, verifying)];
      } catch {
        taken = [];
      }
      known.set(key, taken);
    }
    return taken;
  };
  return (keyId, at) => after(keys.find(keyId, at), (found) => chosen(found.flatMap(take), keyId, at));
};
