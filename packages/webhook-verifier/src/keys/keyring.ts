import { checkKeyText } from "#platform";
import { misconfigured, refuse, WebhookConfigError } from "../errors.ts";
import type { Algorithm, VerifyingKey } from "../platform/contract.ts";
import { after, type MaybePromise } from "../runtime.ts";
import type { KeySource, Scheme } from "../scheme.ts";
import { checkLength, invalidKey, type Key, type KeyText } from "./key.ts";

/** Keys that you give directly: text in the sender's notation, a JWK, or several of them. */
export type GivenKeys = KeyText | Key | readonly (KeyText | Key)[];

/**
 * Everything that `keys` may be: keys, a source, or a function that returns one of these when the
 * first message arrives. Use a function for an environment variable that your build does not have,
 * or for a secret store. It is called, one call at a time, until it returns usable keys.
 */
export type Keys = GivenKeys | KeySource | (() => MaybePromise<GivenKeys | KeySource | undefined>);

/** A key that was taken in, and when it may be used. */
export interface ReadyKey<Taken = VerifyingKey> {
  readonly taken: Taken;
  readonly id: string | undefined;
  readonly notBefore: number;
  readonly notAfter: number;
}

// Arrays have a `find` of their own and a length, and so do arrays of bytes.
const isSource = (keys: GivenKeys | KeySource): keys is KeySource =>
  typeof (keys as Partial<KeySource>)?.find === "function" && !("length" in (keys as KeySource));
// Text, bytes and JWKs do not have this member.
const isKey = (entry: KeyText | Key): entry is Key => (entry as Partial<Key>)?.key !== undefined;

const timeOf = (time: Key["notBefore"], otherwise: number): number => {
  if (time === undefined) return otherwise;
  const epochMs = typeof time === "number" ? time : +new Date(time);
  return Number.isNaN(epochMs) ? invalidKey("notBefore or notAfter is not a time.") : epochMs;
};

/** Takes a key in. @throws WebhookConfigError `key_invalid`, or an error of the platform */
export type TakeKey<Taken> = (key: KeyText, algorithm?: Algorithm) => Taken;

/** @throws WebhookConfigError `key_invalid` */
const readyKey = <Taken extends { readonly algorithm: Algorithm }>(
  { name, key: notation }: Scheme,
  entry: KeyText | Key,
  take: TakeKey<Taken>,
): ReadyKey<Taken> => {
  const { key, id, notBefore, notAfter, algorithm }: Key = isKey(entry) ? entry : { key: entry };
  try {
    if (typeof key === "string") checkKeyText(notation, key);
    const taken = take(key, algorithm);
    if (algorithm === undefined || taken.algorithm === algorithm)
      return {
        taken,
        id,
        notBefore: timeOf(notBefore, 0),
        notAfter: timeOf(notAfter, 1 / 0),
      };
  } catch (cause) {
    if (cause instanceof WebhookConfigError) throw cause;
    return invalidKey(`${name} needs ${notation.about}.`, cause);
  }
  return invalidKey(`${name} does not use ${algorithm} with it.`);
};

/**
 * Takes in the keys that were given directly. @throws WebhookConfigError `key_missing`,
 * `key_invalid`
 */
export const readyKeys = <Taken extends { readonly algorithm: Algorithm }>(
  scheme: Scheme,
  keys: GivenKeys,
  take: TakeKey<Taken>,
): ReadyKey<Taken>[] => {
  const list: readonly (KeyText | Key)[] = [keys ?? []].flat();
  // The type forbids it, but callers without types give variables that are not set.
  const unset = list.findIndex((entry) => entry == null);
  if (unset >= 0) misconfigured("key_missing", `keys[${unset}] is ${list[unset]}: set it, or leave it out.`);
  if (list.length === 0) misconfigured("key_missing", `${scheme.name} needs a key: ${scheme.key.about}.`);
  return list.map((entry) => readyKey(scheme, entry, take));
};

/**
 * Returns the keys that are valid at `at` and may verify a message that names `keyId`. It returns
 * without waiting if the keys were given directly.
 * @throws WebhookVerificationError `key_unknown`
 */
export type FindKeys = (keyId: string | undefined, at: number) => MaybePromise<readonly ReadyKey[]>;

const chosen = (keys: readonly ReadyKey[], keyId: string | undefined, at: number): readonly ReadyKey[] => {
  const fits = ({ id, notBefore, notAfter }: ReadyKey): boolean =>
    at >= notBefore && at < notAfter && (keyId === undefined || id === undefined || id === keyId);
  // Nearly always all of them are valid; then no new list is made.
  const fitting = keys.every(fits) ? keys : keys.filter(fits);
  return fitting.length > 0 ? fitting : refuse("key_unknown", "No valid key has the id of the message.");
};

/**
 * Keys that are not known yet. Deliveries that arrive while they are being loaded wait for the same
 * call.
 */
const openLater = (load: () => Promise<FindKeys>): FindKeys => {
  let loading: Promise<void> | undefined;
  let find: FindKeys = (keyId, at) => {
    loading ??= load().then(
      (opened) => {
        find = opened;
      },
      (cause) => {
        loading = undefined;
        refuse("key_unavailable", "Your keys could not be loaded.", cause);
      },
    );
    return loading.then(() => find(keyId, at));
  };
  return (keyId, at) => find(keyId, at);
};

/** Whether the sender has yet to give the key, and the list is empty because of it. */
export const isAwaited = ({ keyComes }: Scheme, keys: Keys): boolean =>
  keyComes !== undefined && Array.isArray(keys) && keys.length === 0;

/** Opens the keys for verification. @throws WebhookConfigError `key_missing`, `key_invalid` */
export const openKeyring = (scheme: Scheme, keys: Keys, allowShort = false): FindKeys => {
  if (typeof keys === "function")
    // A missing value is `undefined`, which `readyKeys` refuses. The cast says no more than that.
    return openLater(async () => openKeyring(scheme, (await keys()) as GivenKeys | KeySource, allowShort));
  const verifying: TakeKey<VerifyingKey> = (text, algorithm) => {
    const key = scheme.key.verifying(text, algorithm);
    if (key.secretBytes !== undefined && !allowShort)
      checkLength(key.secretBytes, scheme.key.minSecretBytes ?? 16, ", unless you set allowShort");
    return key;
  };
  if (!isSource(keys)) {
    const ready = isAwaited(scheme, keys) ? [] : readyKeys(scheme, keys, verifying);
    return (keyId, at) => chosen(ready, keyId, at);
  }
  // A source returns the same objects each time, so each is taken in once. Published sets may hold
  // keys of other kinds; those are skipped.
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
