import { platform } from "#platform";
import { concat } from "./bytes.ts";
import { type Delivery, deliveryOf } from "./delivery.ts";
import { misconfigured, refuse } from "./errors.ts";
import { type Keyring, type Keys, openKeyring, type ReadyKey } from "./keys/keyring.ts";
import type { Algorithm, Piece, PlatformKey } from "./platform/contract.ts";
import {
  bytesOf,
  type Incoming,
  isRequestLike,
  type RequestLike,
  readRequest,
  type WebhookRequest,
} from "./request.ts";
import { isPromise, type MaybePromise, utf8 } from "./runtime.ts";
import type { Candidate, Claim, Fetch, HandshakeAnswer, Scheme, Settings } from "./scheme.ts";
import { checkSettings } from "./settings.ts";

/** How one receiver verifies. */
export interface VerifierOptions {
  /** The sender's keys, all that are valid now: text in the sender's notation, `Key`s, or a source such as `jwks(url)`. */
  readonly keys: Keys;
  /** Window both ways, in seconds, instead of the scheme's own. `Infinity` switches it off. No effect on senders that sign no time. */
  readonly toleranceSeconds?: number | undefined;
  /** Epoch milliseconds; `Date.now` unless given. */
  readonly now?: (() => number) | undefined;
  /** The address as the sender calls it, for schemes that cover it, when a proxy makes the request's own differ. */
  readonly url?: string | undefined;
  /** Longest body accepted, in bytes; 25 MiB unless given, the largest any sender documents. */
  readonly maxBodyBytes?: number | undefined;
  /** What the scheme needs besides keys; its page lists it. */
  readonly settings?: Settings | undefined;
  /** Needed only for handshakes that call back (AWS SNS). */
  readonly fetch?: Fetch | undefined;
}

/** Verifies the deliveries of one sender. Keeps nothing between calls; any number may run at once. */
export interface Verifier {
  /** The scheme it was made for. */
  readonly scheme: Scheme;
  /**
   * Gives the delivery if every signature needed holds and the time is within the window.
   * @throws WebhookVerificationError otherwise, whatever the input is.
   */
  verify(request: WebhookRequest | RequestLike): Promise<Delivery>;
  /**
   * The answer to send back if the request is the sender's handshake, after the signature check where one is sent;
   * undefined for every other request. A web `Request` is cloned, so that `verify` can still read it.
   * @throws WebhookVerificationError if it is a handshake, but not an authentic one.
   */
  handshake(request: WebhookRequest | RequestLike): Promise<HandshakeAnswer | undefined>;
}

const defaultMaxBodyBytes = 25 * 1024 * 1024;
const noBody = new Uint8Array(0);

const pieceBytes = (piece: Piece): Uint8Array => (typeof piece === "string" ? utf8(piece) : piece);

const equalToAny = (signatures: readonly Candidate[], algorithm: Algorithm, expected: Uint8Array): boolean => {
  for (const candidate of signatures)
    if (fits(candidate, algorithm) && platform.equal(candidate.bytes, expected)) return true;
  return false;
};

const fits = (candidate: Candidate, algorithm: Algorithm): boolean =>
  candidate.algorithm === undefined || candidate.algorithm === algorithm;

/** A signature of a wrong shape is a wrong one, whether the platform says so by `false` or by throwing. */
const verifies = (native: PlatformKey, signature: Uint8Array, content: Uint8Array): MaybePromise<boolean> => {
  try {
    const right = platform.verify(native, signature, content);
    return isPromise(right) ? right.catch(() => false) : right;
  } catch {
    return false;
  }
};

const verifiesAny = (
  native: PlatformKey,
  signatures: readonly Candidate[],
  content: Uint8Array,
  from = 0,
): MaybePromise<boolean> => {
  for (let index = from; index < signatures.length; index++) {
    const candidate = signatures[index];
    if (candidate === undefined || !fits(candidate, native.algorithm)) continue;
    const right = verifies(native, candidate.bytes, content);
    if (isPromise(right)) return right.then((held) => held || verifiesAny(native, signatures, content, index + 1));
    if (right === true) return true;
  }
  return false;
};

/**
 * Whether one of the claim's signatures is right under `key`. At once where the platform can: most deliveries are checked
 * without a single promise in between, which costs as much as the hash itself.
 */
const holds = ({ native }: ReadyKey, { signatures, signed }: Claim): MaybePromise<boolean> => {
  if (native.form === "public") return verifiesAny(native, signatures, concat(signed.map(pieceBytes)));
  const made = platform.mac(native, signed);
  return isPromise(made)
    ? made.then((expected) => equalToAny(signatures, native.algorithm, expected))
    : equalToAny(signatures, native.algorithm, made);
};

/** The first of `keys` from `from` on that made a signature of the claim. */
const matching = (keys: readonly ReadyKey[], claim: Claim, from = 0): MaybePromise<ReadyKey | undefined> => {
  for (let index = from; index < keys.length; index++) {
    const key = keys[index];
    if (key === undefined) continue;
    const held = holds(key, claim);
    if (isPromise(held)) return held.then((right) => (right ? key : matching(keys, claim, index + 1)));
    if (held === true) return key;
  }
  return undefined;
};

/** The claim in the other spelling that holds, and its key. */
const respelt = async (
  keys: readonly ReadyKey[],
  claim: Claim,
): Promise<{ readonly claim: Claim; readonly key: ReadyKey } | undefined> => {
  for (const signed of claim.alternatives ?? []) {
    const spelt = { ...claim, signed };
    const key = await matching(keys, spelt);
    if (key !== undefined) return { claim: spelt, key };
  }
  return undefined;
};

const mismatch = (scheme: Scheme): never =>
  refuse(
    "signature_mismatch",
    `No signature is right: the key of another endpoint, or a body parsed and written again${
      scheme.covered.includes("url") ? ", or a URL changed by a proxy (set `url`)" : ""
    }.`,
  );

const checkWindow = (timestamp: number, now: number, toleranceSeconds: number): void => {
  const ageSeconds = (now - timestamp) / 1000;
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const hint = `the window is ${toleranceSeconds} s. If that is always so, look at the clock.`;
  if (ageSeconds > 0) refuse("timestamp_too_old", `Signed ${Math.round(ageSeconds)} s ago; ${hint}`);
  refuse("timestamp_too_new", `Signed ${Math.round(-ageSeconds)} s in the future; ${hint}`);
};

const checkTolerance = (toleranceSeconds: number | undefined): void => {
  if (toleranceSeconds !== undefined && !(toleranceSeconds >= 0))
    misconfigured("setting_invalid", "toleranceSeconds must be 0 or more.");
};

/**
 * A verifier for one sender.
 * @throws WebhookConfigError `key_missing`, `key_invalid`, `setting_invalid`: at once, so that a wrong configuration
 *   stops the start and not the first delivery.
 */
export const createVerifier = (scheme: Scheme, options: VerifierOptions): Verifier => {
  checkTolerance(options.toleranceSeconds);
  const settings = checkSettings(scheme, options.settings);
  const keyring: Keyring = openKeyring(scheme, options.keys);
  const now = options.now ?? Date.now;
  const maxBodyBytes = options.maxBodyBytes ?? defaultMaxBodyBytes;
  const toleranceSeconds = options.toleranceSeconds ?? scheme.toleranceSeconds ?? Number.POSITIVE_INFINITY;

  const incomingOf = (request: WebhookRequest | RequestLike, bodyOptional = false): MaybePromise<Incoming> => {
    if (isRequestLike(request)) {
      const incoming = readRequest(request, maxBodyBytes);
      return options.url === undefined ? incoming : incoming.then((read) => ({ ...read, url: options.url }));
    }
    const { method, url, headers, body } = request;
    return {
      method,
      url: options.url ?? url,
      headers,
      body: bodyOptional && body === undefined ? noBody : bytesOf(body, maxBodyBytes),
    };
  };

  /** Proves one claim; gives it back as it was proven, and the key. */
  const prove = async (claim: Claim, at: number): Promise<{ readonly claim: Claim; readonly key: ReadyKey }> => {
    const found = keyring.find(claim.keyId, at);
    const keys = isPromise(found) ? await found : found;
    const matched = matching(keys, claim);
    const key = isPromise(matched) ? await matched : matched;
    const proven = key === undefined ? ((await respelt(keys, claim)) ?? mismatch(scheme)) : { claim, key };
    const confirmed = claim.confirm === undefined ? undefined : await claim.confirm();
    const timestamp = confirmed?.timestamp ?? claim.timestamp;
    if (timestamp !== undefined) checkWindow(timestamp, at, toleranceSeconds);
    return confirmed === undefined ? proven : { claim: { ...proven.claim, ...confirmed }, key: proven.key };
  };

  /** The common case without any waiting: one claim, nothing to confirm, keys at hand, a platform that answers at once. */
  const proveAtOnce = (claim: Claim | undefined, more: boolean, at: number): ReadyKey | undefined => {
    if (claim === undefined || more || claim.confirm !== undefined || claim.alternatives !== undefined)
      return undefined;
    const keys = platform.immediate && keyring.immediate ? keyring.find(claim.keyId, at) : undefined;
    if (keys === undefined || isPromise(keys)) return undefined;
    const matched = matching(keys, claim);
    if (isPromise(matched)) return undefined;
    if (matched === undefined) return mismatch(scheme);
    if (claim.timestamp !== undefined) checkWindow(claim.timestamp, at, toleranceSeconds);
    return matched;
  };

  const verifyIncoming = (incoming: Incoming): MaybePromise<Delivery> => {
    const at = now();
    const read = scheme.read(incoming, { settings, now: at });
    if (!isPromise(read)) {
      const [claim] = read;
      const key = proveAtOnce(claim, read.length > 1, at);
      if (key !== undefined) return deliveryOf(scheme, incoming.headers, incoming.body, read, key.id ?? claim?.keyId);
    }
    return proveInTurn(incoming, read, at);
  };

  const proveInTurn = async (
    incoming: Incoming,
    read: MaybePromise<readonly Claim[]>,
    at: number,
  ): Promise<Delivery> => {
    const proven: Claim[] = [];
    let keyId: string | undefined;
    for (const claim of await read) {
      const one = await prove(claim, at);
      proven.push(one.claim);
      keyId ??= one.key.id ?? claim.keyId;
    }
    if (proven.length === 0) refuse("signature_missing", "There is no signature.");
    return deliveryOf(scheme, incoming.headers, incoming.body, proven, keyId);
  };

  const answer = async (request: WebhookRequest | RequestLike): Promise<HandshakeAnswer | undefined> => {
    if (scheme.handshake === undefined) return undefined;
    const incoming = await incomingOf(request, true);
    return scheme.handshake(incoming, {
      settings,
      now: now(),
      fetch: options.fetch,
      verified: async () => (await verifyIncoming(incoming)).payload,
      mac: async (pieces) => {
        const [key] = await keyring.find(undefined, now());
        return key === undefined ? refuse("key_unknown", "There is no key.") : platform.mac(key.native, pieces);
      },
    });
  };

  return {
    scheme,
    verify: async (request) => {
      const incoming = incomingOf(request);
      return isPromise(incoming) ? verifyIncoming(await incoming) : verifyIncoming(incoming);
    },
    handshake: async (request) =>
      // A clone reads like the original; `clone` is absent only on requests that are not web ones.
      answer(isRequestLike(request) ? ((request.clone?.() ?? request) as RequestLike) : request),
  };
};
