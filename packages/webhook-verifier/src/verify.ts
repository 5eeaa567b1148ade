import { checkOptionNames } from "#platform";
import { type Dedupe, rulesOf } from "./dedupe.ts";
import { type Delivery, deliveryOf } from "./delivery.ts";
import { misconfigured, refuse } from "./errors.ts";
import { isAwaited, type Keys, openKeyring } from "./keys/keyring.ts";
import { type PayloadSchema, withSchema } from "./payload-schema.ts";
import { proverOf } from "./prove.ts";
import { type Incoming, type ReceivedRequest, type RequestLike, readIncoming } from "./request.ts";
import { after, type MaybePromise } from "./runtime.ts";
import type { Assertion, Fetch, HandshakeAnswer, Scheme, Settings } from "./scheme.ts";
import { checkSettings } from "./settings.ts";

/** How a verifier checks deliveries. */
export interface VerifierOptions<Payload = unknown> {
  /**
   * All of the sender's keys that are valid now: texts in the sender's notation, `Key`s, or a
   * source such as `jwks(url)`. An empty list is accepted only for senders that call you before
   * they give the key (`keyComes` of the scheme).
   */
  readonly keys: Keys;
  /**
   * Also accepts HMAC secrets under 16 bytes. Such a secret can be guessed from a single message,
   * so use this only if you cannot replace it.
   */
  readonly allowShort?: boolean | undefined;
  /**
   * How many seconds the signed time may be from now, in either direction. Default: the scheme's
   * own window. `Infinity` turns the check off. No effect for senders that sign no time.
   */
  readonly toleranceSeconds?: number | undefined;
  /** Returns milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /**
   * The URL as the sender calls it, for schemes that sign the URL. Set it if a proxy changes the
   * request's own URL.
   */
  readonly url?: string | undefined;
  /**
   * The longest body that is accepted, in bytes. Default: the scheme's own limit, or 1 MiB if it
   * has none.
   */
  readonly maxBodyBytes?: number | undefined;
  /** What the scheme needs in addition to keys; its page lists it. */
  readonly settings?: Settings | undefined;
  /**
   * The schema of payloads, which also gives their type: zod, valibot, arktype or any other
   * Standard Schema. It is checked after the signature.
   */
  readonly schema?: PayloadSchema<Payload> | undefined;
  /**
   * What makes a delivery a repeat, if you know better than the scheme: its id, its body, or nothing.
   */
  readonly dedupe?: Dedupe | Dedupe["by"] | undefined;
  /** Needed only for handshakes that call back (AWS SNS). */
  readonly fetch?: Fetch | undefined;
}

/**
 * Verifies the deliveries of one sender. It keeps nothing between calls, and you can run any number
 * at once.
 */
export interface Verifier<Payload = unknown> {
  /** The scheme it was made for. */
  readonly scheme: Scheme;
  /** Longest body it accepts, in bytes. */
  readonly maxBodyBytes: number;
  /**
   * Returns the delivery if all required signatures are valid and the time is within the window.
   * `verify<Event>(…)` states the payload's type without checking it; a `schema` checks it.
   * @throws WebhookVerificationError for everything else, also for input of a wrong type.
   */
  verify<Expected = Payload>(request: ReceivedRequest | RequestLike): Promise<Delivery<Expected>>;
  /**
   * Like `verify`, without waiting if nothing has to be waited for (HMAC on Node, Bun and Deno): a
   * promise takes as long as hashing a small body. It throws at once, or returns a promise that
   * rejects. `createVerifier` always makes it.
   */
  verifySoon?<Expected = Payload>(
    request: ReceivedRequest | RequestLike,
  ): Delivery<Expected> | Promise<Delivery<Expected>>;
  /**
   * The answer to send if the request is the sender's handshake; `undefined` for every other
   * request. If the handshake is signed, the signature is checked first. A web `Request` is cloned,
   * so that `verify` can still read it.
   * @throws WebhookVerificationError if it is a handshake, but not an authentic one.
   */
  handshake(request: ReceivedRequest | RequestLike): Promise<HandshakeAnswer | undefined>;
}

/**
 * Longer than what most senders send. Hostile JSON of this size costs little to parse. Schemes may
 * set their own limit.
 */
const defaultMaxBodyBytes = 1_048_576;

/** What you set for a bound, else the scheme's own. Text is refused too, because it compares like a number. */
const bound = (
  name: "maxBodyBytes" | "toleranceSeconds",
  options: VerifierOptions,
  scheme: Scheme,
  otherwise: number,
): number => {
  const value = options[name] ?? scheme[name] ?? otherwise;
  return Math.abs(value) === value ? value : misconfigured("setting_invalid", `${name} is no number >= 0.`);
};

/**
 * Creates a verifier for one sender.
 * @throws WebhookConfigError `key_missing`, `key_invalid`, `setting_invalid`. It throws at once, so
 *   that a wrong configuration stops the start and not the first delivery.
 */
export const createVerifier = <Payload = unknown>(
  scheme: Scheme,
  options: VerifierOptions<Payload>,
): Verifier<Payload> => {
  // A caller without types can give a name, or no options.
  if (!scheme?.read || !options) misconfigured("setting_invalid", "Give a scheme, not its name, and keys.");
  checkOptionNames(options);
  const { now = Date.now, url, fetch, schema } = options;
  const maxBodyBytes = bound("maxBodyBytes", options, scheme, defaultMaxBodyBytes);
  const toleranceSeconds = bound("toleranceSeconds", options, scheme, 1 / 0);
  const settings = checkSettings(scheme, options.settings);
  const dedupe = options.dedupe && rulesOf(scheme, options.dedupe);
  const findKeys = openKeyring(scheme, options.keys, options.allowShort);
  const prove = proverOf(scheme, findKeys, toleranceSeconds);

  const proveAll = async (claims: readonly Assertion[], at: number): Promise<readonly Assertion[]> => {
    const proven: Assertion[] = [];
    for (const claim of claims) proven.push(await prove(claim, at));
    return proven;
  };

  const verifyIncoming = (incoming: Incoming): MaybePromise<Delivery> => {
    const at = now();
    return after(scheme.read(incoming, { settings, now: at }), (claims): MaybePromise<Delivery> => {
      const [claim] = claims;
      if (claim === undefined) return refuse("signature_missing", "There is no signature.");
      return claims.length > 1
        ? proveAll(claims, at).then((proven) => deliveryOf(scheme, incoming, proven, dedupe))
        : after(prove(claim, at), (proven) => deliveryOf(scheme, incoming, [proven], dedupe));
    });
  };

  const verifySoon = <Expected>(request: ReceivedRequest | RequestLike) => {
    const delivery = after(readIncoming(request, maxBodyBytes, url, false), verifyIncoming);
    // The caller states the type, or the schema gives it.
    return (schema ? withSchema(delivery, schema) : delivery) as MaybePromise<Delivery<Expected>>;
  };

  return {
    scheme,
    maxBodyBytes,
    verifySoon,
    verify: async (request) => verifySoon(request),
    handshake: async (request) => {
      if (scheme.handshake === undefined) return undefined;
      const incoming = await readIncoming(request, maxBodyBytes, url, true);
      return scheme.handshake(incoming, {
        settings,
        now: now(),
        fetch,
        verified: async () => (await verifyIncoming(incoming)).payload,
        awaitsKey: isAwaited(scheme, options.keys),
        mac: async (pieces, keyId) => {
          const keys = await findKeys(keyId, now());
          const key = keys.find(({ id }) => id === keyId) ?? keys[0];
          return key?.taken.sign?.(pieces) ?? refuse("key_unknown", "There is no shared secret.");
        },
      });
    },
  };
};
