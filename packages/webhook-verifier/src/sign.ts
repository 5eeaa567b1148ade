import { random } from "#platform";
import { misconfigured } from "./errors.ts";
import { encodeHex } from "./hex.ts";
import { invalidKey, type Key, type KeyText } from "./keys/key.ts";
import { type ReadyKey, readyKeys, type TakeKey } from "./keys/keyring.ts";
import { privateKey } from "./keys/private.ts";
import type { Algorithm, PrivateKey, SecretKey } from "./platform/contract.ts";
import { bytesOf, type RequestHead } from "./request.ts";
import { isBuffer, type OwnBytes } from "./runtime.ts";
import type { Draft, Scheme, Settings, SignedRequest, SignedResponse, SigningKey, SigningKeys } from "./scheme.ts";
import { checkSettings } from "./settings.ts";
import { signLayout } from "./sign-layout.ts";
import { signMessage } from "./sign-message.ts";
import { signStandardWebhooks } from "./sign-standard-webhooks.ts";

/**
 * A message to sign as its sender would: for tests, to try a receiver out, or to forward events.
 */
export interface SignInput {
  /**
   * The sender's keys: shared secrets or private keys. If you give several, each signs, for senders
   * that can do so.
   */
  readonly keys: KeyText | Key | readonly (KeyText | Key)[];
  readonly body: Uint8Array | string;
  /** Used if the id is outside the body. Default: a random one. */
  readonly id?: string | undefined;
  /** Used if the type is outside the body. */
  readonly type?: string | undefined;
  /** Epoch milliseconds. Default: now. */
  readonly timestamp?: number | undefined;
  /** Default `POST`. */
  readonly method?: string | undefined;
  /** Absolute. Needed by schemes that cover it. */
  readonly url?: string | undefined;
  /** Other headers of the request, in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Fields after the body, in lower case. Only RFC 9421 can sign them (`tr`). */
  readonly trailers?: Readonly<Record<string, string>> | undefined;
  /** The same settings as the verifier's. */
  readonly settings?: Settings | undefined;
}

/** A response to sign. */
export interface SignResponseInput
  extends Pick<SignInput, "keys" | "body" | "timestamp" | "headers" | "trailers" | "settings"> {
  readonly status: number;
  /** The request that it answers, as it arrived. Components with `req` are read from it. */
  readonly request?: RequestHead | undefined;
}

/**
 * Reads the sender's side of a scheme's keys: shared secrets as receivers read them, all others as
 * private keys.
 */
const senderSide =
  ({ key }: Scheme): TakeKey<PrivateKey> =>
  (text, algorithm) => {
    const { prefix, algorithms } = key.signing ?? { prefix: "", algorithms: key.algorithms };
    const isPrivate = typeof text !== "string" || text.startsWith(prefix);
    const wanted = algorithm === undefined ? algorithms : [algorithm];
    if (isPrivate && !isShared(wanted[0]))
      return privateKey(typeof text === "string" ? text.slice(prefix.length) : text, wanted);
    const secret = key.verifying(text, algorithm);
    // The cast states what the test shows: an object with `sign` can sign.
    return secret.sign === undefined
      ? invalidKey("it is a public key; signing needs the private one.")
      : (secret as SecretKey);
  };

const isShared = (algorithm: Algorithm | undefined): boolean => /^(hmac|token|sha)/.test(algorithm ?? "");

const signingKey = ({ taken, id }: ReadyKey<PrivateKey>): SigningKey => ({
  id,
  algorithm: taken.algorithm,
  sign: async (pieces) => taken.sign(pieces),
});

/** The keys that sign. @throws WebhookConfigError `key_invalid`; TypeError if there is none. */
const signersOf = (scheme: Scheme, keys: SignInput["keys"]): SigningKeys => {
  const [first, ...more] = readyKeys(scheme, keys, senderSide(scheme)).map(signingKey);
  if (first === undefined) throw new TypeError("no key");
  return [first, ...more];
};

/** The bytes of a body. Those in shared memory are copied, because `fetch` refuses them. */
const ownBytes = (body: SignInput["body"]): OwnBytes => {
  const bytes = bytesOf(body, Number.POSITIVE_INFINITY);
  // The test shows what the cast states.
  return isBuffer(bytes.buffer) ? (bytes as OwnBytes) : Uint8Array.from(bytes);
};

/** A caller without types can give a name in place of a scheme, or no message. */
const checkGiven = (scheme: Scheme, input: object): void => {
  if (!scheme?.read || !input)
    misconfigured("setting_invalid", "Give a scheme from /schemes/*, not its name, and { keys, body }.");
};

/**
 * Checks at once whether keys can sign, so that a wrong configuration stops the start and not the
 * first message.
 * @throws WebhookConfigError `key_missing`, `key_invalid`.
 */
export const checkSigningKeys = (scheme: Scheme, keys: SignInput["keys"]): void => {
  readyKeys(scheme, keys, senderSide(scheme));
};

/**
 * Makes the whole request that the sender would send. It works for every scheme. Some sign inside
 * the body (AWS SNS, Mailgun) or put a digest into the URL (Twilio), so `body` and `url` may differ
 * from what you gave.
 * @throws WebhookConfigError `key_missing`, `key_invalid`, `setting_invalid`; TypeError if only the
 *   sender can sign.
 */
export const signRequest = async (scheme: Scheme, input: SignInput): Promise<SignedRequest> => {
  checkGiven(scheme, input);
  const {
    keys,
    body,
    id,
    type,
    timestamp = Date.now(),
    method = "POST",
    url,
    headers = {},
    trailers,
    settings,
  } = input;
  const draft = {
    method,
    url,
    headers,
    body: ownBytes(body),
    id: id ?? `msg_${encodeHex(random(16))}`,
    type,
    timestamp,
    settings: checkSettings(scheme, settings),
  };
  const signers = signersOf(scheme, keys);
  if (scheme.sign === "message") {
    const signed = await signMessage({ ...draft, trailers }, signers);
    return { method, ...(url !== undefined && { url }), ...signed, body: draft.body };
  }
  if (trailers !== undefined) throw new TypeError(`${scheme.title} signs no trailers: only RFC 9421 does.`);
  const signed = await signedParts(scheme, draft, signers);
  return {
    method,
    ...(url !== undefined && { url }),
    body: draft.body,
    ...signed,
    headers: { ...headers, ...signed.headers },
  };
};

/** What signing changes in a draft, and adds to its headers. */
const signedParts = async (scheme: Scheme, draft: Draft, signers: SigningKeys): Promise<Partial<SignedRequest>> => {
  const { sign, layout } = scheme;
  if (sign === "standard-webhooks") return signStandardWebhooks(scheme, draft, signers);
  if (typeof sign === "function") return sign(draft, signers);
  if (layout !== undefined) return { headers: await signLayout(layout, draft, signers) };
  throw new TypeError(`Only ${scheme.title} itself can sign its deliveries.`);
};

/**
 * Makes a whole response with its signature. By default it covers status and body, and the method
 * and URL of the request that it answers; `components` changes that.
 * @throws WebhookConfigError as `signRequest`; WebhookVerificationError `request_incomplete` for a
 *   covered part that you did not give, such as `request`; TypeError for schemes that sign no
 *   responses: only RFC 9421 does.
 */
export const signResponse = async (scheme: Scheme, input: SignResponseInput): Promise<SignedResponse> => {
  checkGiven(scheme, input);
  if (scheme.sign !== "message") throw new TypeError(`${scheme.title} signs no responses: only RFC 9421 does.`);
  const { keys, timestamp = Date.now(), status, request, headers = {}, trailers } = input;
  const settings = checkSettings(scheme, input.settings);
  const body = ownBytes(input.body);
  const signers = signersOf(scheme, keys);
  return {
    status,
    ...(await signMessage({ status, request, headers, trailers, body, timestamp, settings }, signers)),
    body,
  };
};

/**
 * Makes the headers to send with a body, including the `headers` of the input. Names are in lower
 * case.
 * @throws as `signRequest`; TypeError also for schemes that sign inside the body, URL or trailers:
 *   use `signRequest` for those.
 */
export const sign = async (scheme: Scheme, input: SignInput): Promise<Readonly<Record<string, string>>> => {
  checkGiven(scheme, input);
  const given = ownBytes(input.body);
  const request = await signRequest(scheme, { ...input, body: given });
  if (
    request.body !== given ||
    request.url !== input.url ||
    request.trailers?.["content-digest"] !== input.trailers?.["content-digest"]
  )
    throw new TypeError(
      `${scheme.title} signs inside the body, URL or trailers: use signRequest and send all that it gives.`,
    );
  return request.headers;
};
