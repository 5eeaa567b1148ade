import { platform } from "#platform";
import { concat } from "./bytes.ts";
import { type Delivery, deliveryOf } from "./delivery.ts";
import { misconfigured, refuse } from "./errors.ts";
import { type Keyring, type Keys, openKeyring, type ReadyKey } from "./keys/keyring.ts";
import type { Piece } from "./platform/contract.ts";
import {
  bytesOf,
  type Incoming,
  isRequestLike,
  type RequestLike,
  readRequest,
  type WebhookRequest,
} from "./request.ts";
import { isPromise, type MaybePromise, utf8 } from "./runtime.ts";
import type { Claim, Fetch, HandshakeAnswer, Scheme, Settings } from "./scheme.ts";
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

/** Whether one of the claim's signatures is right under `key`. Never throws: a signature of a wrong shape is a wrong one. */
const holds = async (key: ReadyKey, claim: Claim, content: () => Uint8Array): Promise<boolean> => {
  const { native } = key;
  const candidates = claim.signatures.filter(
    ({ algorithm }) => algorithm === undefined || algorithm === native.algorithm,
  );
  if (native.form === "public") {
    for (const { bytes } of candidates) {
      try {
        if (await platform.verify(native, bytes, content())) return true;
      } catch {
        // Another candidate or key may still be right.
      }
    }
    return false;
  }
  if (candidates.length === 0) return false;
  const made = platform.mac(native, claim.signed);
  const expected = isPromise(made) ? await made : made;
  return candidates.some(({ bytes }) => platform.equal(bytes, expected));
};

const pieceBytes = (piece: Piece): Uint8Array => (typeof piece === "string" ? utf8(piece) : piece);

const matching = async (keys: readonly ReadyKey[], claim: Claim): Promise<ReadyKey | undefined> => {
  let joined: Uint8Array | undefined;
  const content = (): Uint8Array => {
    joined ??= concat(claim.signed.map(pieceBytes));
    return joined;
  };
  for (const key of keys) if (await holds(key, claim, content)) return key;
  return undefined;
};

/** The claim with the spelling that holds, and its key. */
const proven = async (
  keys: readonly ReadyKey[],
  claim: Claim,
): Promise<{ readonly claim: Claim; readonly key: ReadyKey } | undefined> => {
  const key = await matching(keys, claim);
  if (key !== undefined) return { claim, key };
  for (const signed of claim.alternatives ?? []) {
    const spelt = { ...claim, signed };
    const other = await matching(keys, spelt);
    if (other !== undefined) return { claim: spelt, key: other };
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
  const hint = `the window is ${toleranceSeconds} s. If that is always so, look at the clock.`;
  if (ageSeconds > toleranceSeconds) refuse("timestamp_too_old", `Signed ${Math.round(ageSeconds)} s ago; ${hint}`);
  if (-ageSeconds > toleranceSeconds)
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

  const verifyIncoming = async (incoming: Incoming): Promise<Delivery> => {
    const at = now();
    const read = scheme.read(incoming, { settings, now: at });
    const claims = [...(isPromise(read) ? await read : read)];
    let keyId: string | undefined;
    for (const [index, claim] of claims.entries()) {
      const found = keyring.find(claim.keyId, at);
      const keys = isPromise(found) ? await found : found;
      const held = (await proven(keys, claim)) ?? mismatch(scheme);
      const { key } = held;
      const confirmed = claim.confirm === undefined ? undefined : await claim.confirm();
      claims[index] = confirmed === undefined ? held.claim : { ...held.claim, ...confirmed };
      const timestamp = confirmed?.timestamp ?? claim.timestamp;
      if (timestamp !== undefined) checkWindow(timestamp, at, toleranceSeconds);
      keyId ??= key.id ?? claim.keyId;
    }
    if (claims.length === 0) refuse("signature_missing", "There is no signature.");
    return deliveryOf(scheme, incoming.headers, incoming.body, claims, keyId);
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
      return verifyIncoming(isPromise(incoming) ? await incoming : incoming);
    },
    handshake: async (request) =>
      // A clone reads like the original; `clone` is absent only on requests that are not web ones.
      answer(isRequestLike(request) ? ((request.clone?.() ?? request) as RequestLike) : request),
  };
};
