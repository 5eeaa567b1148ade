import { textOf } from "#platform";
import { type Delivery, deliveryOf } from "./delivery.ts";
import { misconfigured, refuse } from "./errors.ts";
import { type Keys, openKeyring, type ReadyKey } from "./keys/keyring.ts";
import { type PayloadSchema, withSchema } from "./payload-schema.ts";
import type { Piece } from "./platform/contract.ts";
import { type Incoming, type RequestLike, readIncoming, type WebhookRequest } from "./request.ts";
import { after, isPromise, type MaybePromise } from "./runtime.ts";
import type { Claim, Fetch, HandshakeAnswer, Scheme, Settings } from "./scheme.ts";
import { checkSettings } from "./settings.ts";

/** How one receiver verifies. */
export interface VerifierOptions<Payload = unknown> {
  /** The sender's keys, all that are valid now: text in the sender's notation, `Key`s, or a source such as `jwks(url)`. */
  readonly keys: Keys;
  /** Takes HMAC secrets of less than 16 bytes as well, which one message is enough to guess. For those that cannot be replaced. */
  readonly allowShort?: boolean | undefined;
  /** Window both ways, in seconds, instead of the scheme's own. `Infinity` switches it off. No effect on senders that sign no time. */
  readonly toleranceSeconds?: number | undefined;
  /** Epoch milliseconds; `Date.now` unless given. */
  readonly now?: (() => number) | undefined;
  /** The address as the sender calls it, for schemes that cover it, when a proxy makes the request's own differ. */
  readonly url?: string | undefined;
  /** Longest body accepted, in bytes; unless given the scheme's own, and 1 MiB for schemes that have none. */
  readonly maxBodyBytes?: number | undefined;
  /** What the scheme needs besides keys; its page lists it. */
  readonly settings?: Settings | undefined;
  /** What payloads must look like, and their type: zod, valibot, arktype or any other Standard Schema. Checked after the signature. */
  readonly schema?: PayloadSchema<Payload> | undefined;
  /** Needed only for handshakes that call back (AWS SNS). */
  readonly fetch?: Fetch | undefined;
}

/** Verifies the deliveries of one sender. Keeps nothing between calls; any number may run at once. */
export interface Verifier<Payload = unknown> {
  /** The scheme it was made for. */
  readonly scheme: Scheme;
  /** Longest body it accepts, in bytes. */
  readonly maxBodyBytes: number;
  /**
   * Gives the delivery if every signature needed holds and the time is within the window.
   * `verify<Event>(…)` names the payload's type without checking it; a `schema` checks it.
   * @throws WebhookVerificationError otherwise, whatever the input is.
   */
  verify<Expected = Payload>(request: WebhookRequest | RequestLike): Promise<Delivery<Expected>>;
  /**
   * The answer to send back if the request is the sender's handshake, after the signature check where one is sent;
   * undefined for every other request. A web `Request` is cloned, so that `verify` can still read it.
   * @throws WebhookVerificationError if it is a handshake, but not an authentic one.
   */
  handshake(request: WebhookRequest | RequestLike): Promise<HandshakeAnswer | undefined>;
}

/** More than senders send, unless their scheme says so; hostile JSON of this size costs little to parse. */
const defaultMaxBodyBytes = 1_048_576;

/**
 * The place of the first of `keys` that made one of the signatures over `content`; -1 when none did. At once where the platform
 * can: a promise in between costs as much as the hash itself.
 */
const firstToHold = (
  keys: readonly ReadyKey[],
  signatures: Claim["signatures"],
  content: Claim["signed"],
  from = 0,
): MaybePromise<number> => {
  for (let at = from; at < keys.length; at++) {
    const held = keys[at]?.taken.holds(signatures, content);
    if (isPromise(held)) return held.then((right) => (right ? at : firstToHold(keys, signatures, content, at + 1)));
    if (held) return at;
  }
  return -1;
};

/** Whether a body is one long word in base64, as Lambda hands over bodies. */
const isBase64 = (piece: Piece): boolean =>
  typeof piece !== "string" && /^[\w+/]{20,}={0,2}$/.test(textOf(piece) ?? "");

const mismatch = (scheme: Scheme, signed: Claim["signed"]): never =>
  refuse(
    "signature_mismatch",
    signed.some(isBase64)
      ? "No signature is right, and the body is base64: decode it first."
      : `No signature is right: another endpoint's key, or a body parsed and written again${
          scheme.covered.includes("url") ? ", or a URL changed by a proxy (set `url`)" : ""
        }.`,
  );

const checkWindow = (timestamp: number, now: number, toleranceSeconds: number): void => {
  const ageSeconds = (now - timestamp) / 1000;
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const old = ageSeconds > 0;
  refuse(
    old ? "timestamp_too_old" : "timestamp_too_new",
    `Signed ${Math.abs(Math.round(ageSeconds))} s ${old ? "ago" : "in the future"}; the window is ${toleranceSeconds} s. If always, look at the clock.`,
  );
};

/** A claim that holds, and the id of the key that made it. */
interface Proven {
  readonly claim: Claim;
  readonly keyId: string | undefined;
}

/**
 * A verifier for one sender.
 * @throws WebhookConfigError `key_missing`, `key_invalid`, `setting_invalid`: at once, so that a wrong configuration
 *   stops the start and not the first delivery.
 */
export const createVerifier = <Payload = unknown>(
  scheme: Scheme,
  options: VerifierOptions<Payload>,
): Verifier<Payload> => {
  const { now = Date.now, url, fetch, schema } = options;
  const maxBodyBytes = options.maxBodyBytes ?? scheme.maxBodyBytes ?? defaultMaxBodyBytes;
  const toleranceSeconds = options.toleranceSeconds ?? scheme.toleranceSeconds ?? Number.POSITIVE_INFINITY;
  if (!(toleranceSeconds >= 0)) misconfigured("setting_invalid", "toleranceSeconds must be 0 or more.");
  const settings = checkSettings(scheme, options.settings);
  const findKeys = openKeyring(scheme, options.keys, options.allowShort);

  const forDelivery = { maxBodyBytes, url, forHandshake: false };

  // Steps that may have to wait are functions of their own: closures made for every delivery would cost as much as its checks.
  const prove = (claim: Claim, at: number): MaybePromise<Proven> => {
    const keys = findKeys(claim.keyId, at);
    return isPromise(keys) ? keys.then((found) => proveWith(found, claim, at)) : proveWith(keys, claim, at);
  };

  const proveWith = (keys: readonly ReadyKey[], claim: Claim, at: number): MaybePromise<Proven> => {
    const place = firstToHold(keys, claim.signatures, claim.signed);
    if (isPromise(place) || place < 0) return respelt(keys, claim, at, place);
    return proven(keys, place, claim, at);
  };

  /** Waits, and then tries the content in its other spellings. */
  const respelt = async (
    keys: readonly ReadyKey[],
    claim: Claim,
    at: number,
    first: MaybePromise<number>,
  ): Promise<Proven> => {
    const place = await first;
    if (place >= 0) return proven(keys, place, claim, at);
    for (const signed of claim.alternatives?.() ?? []) {
      const found = await firstToHold(keys, claim.signatures, signed);
      if (found >= 0) return proven(keys, found, { ...claim, signed }, at);
    }
    return mismatch(scheme, claim.signed);
  };

  const proven = (keys: readonly ReadyKey[], place: number, claim: Claim, at: number): MaybePromise<Proven> => {
    const keyId = keys[place]?.id ?? claim.keyId;
    if (claim.confirm === undefined) return inTime({ claim, keyId }, at);
    return after(claim.confirm(), (confirmed) => inTime({ claim: { ...claim, ...confirmed }, keyId }, at));
  };

  const inTime = (one: Proven, at: number): Proven => {
    const { timestamp } = one.claim;
    if (timestamp !== undefined) checkWindow(timestamp, at, toleranceSeconds);
    return one;
  };

  const proveEach = async (claims: readonly Claim[], incoming: Incoming, at: number): Promise<Delivery> => {
    const all: Proven[] = [];
    for (const claim of claims) all.push(await prove(claim, at));
    return deliveryOf(
      scheme,
      incoming,
      all.map(({ claim }) => claim),
      all[0]?.keyId,
    );
  };

  const judge = (claims: readonly Claim[], incoming: Incoming, at: number): MaybePromise<Delivery> => {
    const [claim] = claims;
    if (claim === undefined) return refuse("signature_missing", "There is no signature.");
    if (claims.length > 1) return proveEach(claims, incoming, at);
    const one = prove(claim, at);
    return isPromise(one)
      ? one.then((later) => deliveryOf(scheme, incoming, [later.claim], later.keyId))
      : deliveryOf(scheme, incoming, one.claim === claim ? claims : [one.claim], one.keyId);
  };

  const verifyIncoming = (incoming: Incoming): MaybePromise<Delivery> => {
    const at = now();
    const claims = scheme.read(incoming, { settings, now: at });
    return isPromise(claims) ? claims.then((read) => judge(read, incoming, at)) : judge(claims, incoming, at);
  };

  return {
    scheme,
    maxBodyBytes,
    verify: async <Expected>(request: WebhookRequest | RequestLike) => {
      const delivery = after(readIncoming(request, forDelivery), verifyIncoming);
      // The type is the caller's word, or the schema's.
      return (schema === undefined ? delivery : withSchema(await delivery, schema)) as MaybePromise<Delivery<Expected>>;
    },
    handshake: async (request) => {
      if (scheme.handshake === undefined) return undefined;
      const incoming = await readIncoming(request, { ...forDelivery, forHandshake: true });
      return scheme.handshake(incoming, {
        settings,
        now: now(),
        fetch,
        verified: async () => (await verifyIncoming(incoming)).payload,
        mac: async (pieces) => {
          const [key] = await findKeys(undefined, now());
          return key?.taken.sign?.(pieces) ?? refuse("key_unknown", "There is no shared secret.");
        },
      });
    },
  };
};
