import { refuse, WebhookVerificationError } from "../errors.ts";
import { isRefusal } from "../refusal.ts";
import type { KeySource } from "../scheme.ts";
import type { Key } from "./key.ts";

/** How long looked-up keys are kept, and how often they are looked up. */
export interface KeyLookupOptions {
  /** How many seconds a key is used before it is looked up again. Default: 86400. */
  readonly maxAgeSeconds?: number | undefined;
  /**
   * Shortest time between two look-ups of one id, in seconds, even if the first found nothing.
   * Default: 60.
   */
  readonly minIntervalSeconds?: number | undefined;
  /** Most look-ups in any minute, over all ids. Default: 10. A fifth is reserved for known keys. */
  readonly maxPerMinute?: number | undefined;
  /**
   * How many seconds a key past `maxAgeSeconds` is still used if it cannot be looked up. Default:
   * 86400.
   */
  readonly staleSeconds?: number | undefined;
  /** How many keys are kept. Default: 100. Beyond that, the one kept longest is dropped. */
  readonly maxKeys?: number | undefined;
}

/** A key that was found. `at` says when. */
interface Kept {
  readonly keys: readonly Key[];
  readonly at: number;
}

/** The last look-up of an id: when it began, and its error if it failed. */
interface Attempt {
  readonly at: number;
  readonly failure?: WebhookVerificationError | undefined;
}

const minute = 60_000;

const asRefusal = (cause: unknown): WebhookVerificationError =>
  isRefusal(cause)
    ? cause
    : new WebhookVerificationError("key_unavailable", "The sender's key could not be looked up.", { cause });

/**
 * Whether a moment lies in the last `ms` before `now`. After the clock was set back, no earlier
 * moment does.
 */
const isWithin = (at: number, now: number, ms: number): boolean => at <= now && now - at < ms;

/**
 * Looks keys up one by one, such as those of Plaid and eBay, which are behind APIs. `find` gets the
 * key id of a message and the time in milliseconds since the epoch. It returns the key, or
 * `undefined` if the sender has no key with that id.
 *
 * Anybody can send messages with invented ids, so look-ups are limited:
 * - Messages that arrive while their key is being looked up wait for that look-up.
 * - An id is looked up at most once in `minIntervalSeconds`. Within that time an id that the sender
 *   does not know is answered `key_unknown`. An id whose look-up failed gets the same error again.
 * - At most `maxPerMinute` look-ups run in a minute. Beyond that the answer is `key_unavailable`,
 *   and the sender tries again later.
 * - A known key works for `staleSeconds` more if it cannot be looked up again. Invented ids cannot
 *   use up the look-ups that are reserved for known keys. They can delay a new key, but never stop
 *   a known one.
 */
export const keyLookup = (
  find: (keyId: string, at: number) => Promise<Key | undefined>,
  options: KeyLookupOptions = {},
): KeySource => {
  const { maxAgeSeconds = 86_400, minIntervalSeconds = 60, maxPerMinute = 10 } = options;
  const { staleSeconds = 86_400, maxKeys = 100 } = options;
  const known = new Map<string, Kept>();
  const attempts = new Map<string, Attempt>();
  const running = new Map<string, Promise<readonly Key[]>>();
  let starts: number[] = [];

  const keep = (keyId: string, keys: readonly Key[], at: number): void => {
    known.delete(keyId);
    const oldest = known.keys().next().value;
    if (known.size >= maxKeys && oldest !== undefined) known.delete(oldest);
    known.set(keyId, { keys, at });
  };

  const lookUp = async (keyId: string, at: number): Promise<readonly Key[]> => {
    let failure: WebhookVerificationError | undefined;
    try {
      const key = await find(keyId, at);
      if (key === undefined) known.delete(keyId);
      // The key gets the message's id, even if `find` gives it another one.
      else keep(keyId, [{ ...key, id: keyId }], at);
    } catch (cause) {
      failure = asRefusal(cause);
    }
    attempts.set(keyId, { at, failure });
    return outcome(keyId, at);
  };

  /**
   * Returns what is known after a look-up, or without one. @throws WebhookVerificationError the
   * error of the last look-up
   */
  const outcome = (keyId: string, at: number): readonly Key[] => {
    const kept = known.get(keyId);
    if (kept !== undefined && at - kept.at < (maxAgeSeconds + staleSeconds) * 1000) return kept.keys;
    const failure = attempts.get(keyId)?.failure;
    if (failure !== undefined) throw failure;
    return [];
  };

  const startLookUp = (keyId: string, at: number): Promise<readonly Key[]> => {
    starts.push(at);
    const looking = lookUp(keyId, at).finally(() => running.delete(keyId));
    running.set(keyId, looking);
    return looking;
  };

  /** Whether another look-up may begin. Forgets look-ups that are too old to count. */
  const mayStart = (keyId: string, at: number): boolean => {
    starts = starts.filter((start) => isWithin(start, at, minute));
    for (const [id, attempt] of attempts) if (!isWithin(attempt.at, at, minIntervalSeconds * 1000)) attempts.delete(id);
    // A look-up that has not ended counts, however old it is.
    const busy = Math.max(starts.length, running.size);
    return busy < (known.has(keyId) ? maxPerMinute : Math.ceil(maxPerMinute * 0.8));
  };

  return {
    find: async (keyId, at) => {
      if (keyId === undefined) return [];
      const kept = known.get(keyId);
      if (kept !== undefined && at - kept.at < maxAgeSeconds * 1000) return kept.keys;
      const shared = running.get(keyId);
      if (shared !== undefined) return shared;
      const attempt = attempts.get(keyId);
      if (attempt !== undefined && isWithin(attempt.at, at, minIntervalSeconds * 1000)) return outcome(keyId, at);
      if (mayStart(keyId, at)) return startLookUp(keyId, at);
      const keys = kept === undefined ? [] : outcome(keyId, at);
      return keys.length > 0
        ? keys
        : refuse("key_unavailable", "Too many keys were looked up in the last minute. Send the message again later.");
    },
  };
};
