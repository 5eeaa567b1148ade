import { checkOptionNames, textOf } from "#platform";
import { emptyAnswer } from "./answers.ts";
import { type Dedupe, rulesOf } from "./dedupe.ts";
import { type Delivery, deliveryOf } from "./delivery.ts";
import { misconfigured, refuse } from "./errors.ts";
import { type FindKeys, isAwaited, type Keys, openKeyring, type ReadyKey } from "./keys/keyring.ts";
import { type PayloadSchema, withSchema } from "./payload-schema.ts";
import type { Piece } from "./platform/contract.ts";
import { type Incoming, type ReceivedRequest, type RequestLike, readIncoming } from "./request.ts";
import { after, isPromise, type MaybePromise } from "./runtime.ts";
import type { Assertion, Credential, Fetch, HandshakeAnswer, Scheme, Settings } from "./scheme.ts";
import { checkSettings, credentialsOf } from "./settings.ts";

/**
 * The index of the first of `keys` that made one of the signatures over `content`; -1 if none did.
 * It does not wait if the platform can compute it at once, because a promise costs as much as the
 * hash itself.
 */
export const firstToHold = (
  keys: readonly ReadyKey[],
  signatures: Assertion["signatures"],
  content: Assertion["signed"],
  from = 0,
): MaybePromise<number> => {
  for (let at = from; at < keys.length; at++) {
    const held = keys[at]?.taken.holds(signatures, content);
    if (isPromise(held)) return held.then((right) => (right ? at : firstToHold(keys, signatures, content, at + 1)));
    if (held) return at;
  }
  return -1;
};

/**
 * Whether a body begins as one long word of base64. AWS Lambda passes bodies on in this form. Only
 * the beginning is looked at: to read a forged body of 5 MB takes longer than to check its
 * signature.
 */
const isBase64 = (piece: Piece): boolean =>
  typeof piece !== "string" && /^[\w+/]{20,}=*$/.test(textOf(piece.subarray(0, 999)) ?? "");

const mismatch = (scheme: Scheme, signed: Assertion["signed"]): never =>
  refuse(
    "signature_mismatch",
    `No signature is right: ${
      signed.some(isBase64)
        ? "the body is base64: decode it first"
        : `another endpoint's key, or a body that was parsed${
            scheme.covered.includes("url") ? ", or a URL changed by a proxy (set `url`)" : ""
          }`
    }.`,
  );

/**
 * Makes the function that proves one claim: a key made its signature, and its time is within the
 * window.
 * @returns a function that returns the claim, completed by what `confirm` has read and by the id of
 *   the key. It throws `WebhookVerificationError` for a claim that is not valid.
 */
const proverOf = (
  scheme: Scheme,
  findKeys: FindKeys,
  toleranceSeconds: number,
): ((claim: Assertion, at: number) => MaybePromise<Assertion>) => {
  const inTime = (claim: Assertion, key: ReadyKey | undefined, at: number): Assertion => {
    const ageSeconds = (at - (claim.timestamp ?? at)) / 1000;
    const old = ageSeconds > 0;
    if (Math.abs(ageSeconds) > toleranceSeconds)
      refuse(
        `timestamp_too_${old ? "old" : "new"}`,
        `Signed ${Math.abs(Math.round(ageSeconds))} s ${old ? "ago" : "ahead"}; the window is ${toleranceSeconds} s. Check the clock.`,
      );
    return key?.id === undefined ? claim : { ...claim, keyId: key.id };
  };

  const confirmed = (claim: Assertion, key: ReadyKey | undefined, at: number): MaybePromise<Assertion> =>
    after(claim.confirm?.(), (more) => inTime(more === undefined ? claim : { ...claim, ...more }, key, at));

  /** Tries the other spellings of the content. */
  const respelt = async (keys: readonly ReadyKey[], claim: Assertion, at: number): Promise<Assertion> => {
    for (const signed of claim.alternatives?.() ?? []) {
      const found = await firstToHold(keys, claim.signatures, signed);
      if (found >= 0) return confirmed({ ...claim, signed }, keys[found], at);
    }
    return mismatch(scheme, claim.signed);
  };

  return (claim, at) =>
    after(findKeys(claim.keyId, at), (keys) =>
      after(firstToHold(keys, claim.signatures, claim.signed), (found) =>
        found < 0
          ? respelt(keys, claim, at)
          : claim.confirm
            ? confirmed(claim, keys[found], at)
            : inTime(claim, keys[found], at),
      ),
    );
};

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
  /**
   * The places outside the body where a signature or a secret can stand, those that settings name
   * among them. Never store or show what is there.
   */
  readonly credentials: readonly Credential[];
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
    credentials: credentialsOf(scheme, settings),
    maxBodyBytes,
    verifySoon,
    verify: async (request) => verifySoon(request),
    handshake: async (request) => {
      if (request?.method === "HEAD" && scheme.methods?.includes("HEAD")) return emptyAnswer(200);
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
