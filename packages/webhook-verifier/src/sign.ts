import { platform } from "#platform";
import { concat } from "./bytes.ts";
import { encodeHex } from "./hex.ts";
import type { Key, KeyText } from "./keys/key.ts";
import { type ReadyKey, readyKeys, type TakeKey } from "./keys/keyring.ts";
import { privateKey } from "./keys/private.ts";
import { bytesOf } from "./request.ts";
import { utf8 } from "./runtime.ts";
import type { Scheme, Settings, SignedRequest, SigningKey } from "./scheme.ts";
import { checkSettings } from "./settings.ts";
import { signLayout } from "./sign-layout.ts";

/** A message to sign like its sender would: for tests, for trying a receiver out, for forwarding. */
export interface SignInput {
  /** The sender's side: the shared secret, or the private key. Several: signed with each, where the sender can do so. */
  readonly keys: KeyText | Key | readonly (KeyText | Key)[];
  readonly body: Uint8Array | string;
  /** Used where the id stands outside the body; a random one unless given. */
  readonly id?: string | undefined;
  /** Used where the type stands outside the body. */
  readonly type?: string | undefined;
  /** Epoch milliseconds; now unless given. */
  readonly timestamp?: number | undefined;
  /** `POST` unless given. */
  readonly method?: string | undefined;
  /** Absolute; needed by schemes that cover it. */
  readonly url?: string | undefined;
  /** Other headers of the request, in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The same settings as the verifier's. */
  readonly settings?: Settings | undefined;
}

/** How the sender's side of a scheme's keys is read. */
const senderSide = ({ key }: Scheme): TakeKey => {
  if (key.signing !== undefined) return key.signing;
  if (key.secret) return key.verifying;
  return (text, algorithm) => privateKey(text, algorithm === undefined ? key.algorithms : [algorithm]);
};

const signingKey = ({ native, id }: ReadyKey): SigningKey => ({
  id,
  algorithm: native.algorithm,
  sign: async (pieces) =>
    native.form === "private"
      ? platform.sign(native, concat(pieces.map((piece) => (typeof piece === "string" ? utf8(piece) : piece))))
      : platform.mac(native, pieces),
});

/**
 * The whole request as the sender would send it, for every scheme: some sign inside the body (AWS SNS, Mailgun) or put a
 * digest into the URL (Twilio), so that `body` and `url` may differ from what was given.
 * @throws WebhookConfigError `key_missing`, `key_invalid`, `setting_invalid`; TypeError if only the sender can sign.
 */
export const signRequest = async (scheme: Scheme, input: SignInput): Promise<SignedRequest> => {
  const { keys, body, id, type, timestamp = Date.now(), method = "POST", url, headers = {}, settings } = input;
  const draft = {
    method,
    url,
    headers,
    body: bytesOf(body, Number.POSITIVE_INFINITY),
    id: id ?? `msg_${encodeHex(platform.random(16))}`,
    type,
    timestamp,
    settings: checkSettings(scheme, settings),
  };
  const signers = readyKeys(scheme, keys, senderSide(scheme)).map(signingKey);
  if (scheme.sign !== undefined) return scheme.sign(draft, signers);
  if (scheme.layout !== undefined) return signLayout(scheme.layout, draft, signers);
  throw new TypeError(`Only ${scheme.facts.title} itself can sign its deliveries.`);
};

/**
 * The headers to send with a body, names in lower case, `headers` of the input among them.
 * @throws as `signRequest`; TypeError also for schemes that sign inside the body or URL: use `signRequest` for those.
 */
export const sign = async (scheme: Scheme, input: SignInput): Promise<Readonly<Record<string, string>>> => {
  const given = bytesOf(input.body, Number.POSITIVE_INFINITY);
  const request = await signRequest(scheme, { ...input, body: given });
  if (request.body !== given || request.url !== input.url)
    throw new TypeError(
      `${scheme.facts.title} signs inside the body or URL: use signRequest and send all that it gives.`,
    );
  return request.headers;
};
