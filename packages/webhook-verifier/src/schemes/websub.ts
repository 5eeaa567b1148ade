import { textOf } from "#platform";
import { emptyAnswer, queryOf, textAnswer } from "../answers.ts";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import { jsonIn } from "../json.ts";
import type { KeyNotation } from "../keys/key.ts";
import { textSecret } from "../keys/secret.ts";
import type { Algorithm } from "../platform/contract.ts";
import type { HandshakeAnswer, Scheme, SchemeFacts, Settings } from "../scheme.ts";
import { settingsOf } from "../settings.ts";

const algorithms = ["hmac-sha256", "hmac-sha384", "hmac-sha512", "hmac-sha1"] as const;

/** The recognized names of methods (WebSub, 8.1). */
const algorithmOf = (method: string): Algorithm | undefined => algorithms.find((known) => known === `hmac-${method}`);

/** A secret under one hash: the key decides which one, never a message. */
const notation = (usual: (typeof algorithms)[number]): KeyNotation => ({
  ...textSecret(usual),
  algorithms: [usual, ...algorithms.filter((other) => other !== usual)],
  verifying: (key, algorithm = usual) => textSecret(algorithm).verifying(key),
});

/** A hub asks whether the subscription was meant; only topics that were asked for are confirmed. */
const confirmation = (url: string | undefined, settings: Settings): HandshakeAnswer | undefined => {
  const mode = queryOf(url, "hub.mode");
  if (mode === "denied") return emptyAnswer(200);
  const challenge = queryOf(url, "hub.challenge");
  if ((mode !== "subscribe" && mode !== "unsubscribe") || challenge === undefined) return undefined;
  return settingsOf(settings, "topics").includes(queryOf(url, "hub.topic") ?? "")
    ? textAnswer(challenge)
    : emptyAnswer(404);
};

/** The family of WebSub: the same in all but the hash that a hub uses. */
export const websubScheme = (name: string, usual: (typeof algorithms)[number], title: string): Scheme => ({
  name,
  optional: ["id", "type"],
  title,
  key: notation(usual),
  covered: ["body"],
  settings: { topics: { about: "the topic URLs you subscribe to; only these are confirmed to a hub", list: true } },
  // Content is what the topic is: JSON, or the text of a feed.
  parse: (body) => jsonIn(body) ?? textOf(body),
  read: ({ headers, body }) => {
    const [method = "", digits = "", ...more] = getHeader(headers, "x-hub-signature").split("=");
    const algorithm = algorithmOf(method);
    const bytes = decodeHex(digits);
    if (algorithm === undefined || !bytes?.length || more.length > 0)
      return refuse("signature_malformed", "The header X-Hub-Signature is not method=hex.");
    return [{ signatures: [{ bytes, algorithm }], signed: [body] }];
  },
  handshake: ({ method, url }, { settings }) => (method === "GET" ? confirmation(url, settings) : undefined),
  sign: async ({ method, url, headers, body }, [key]) => {
    if (key === undefined) throw new TypeError("no key");
    const signature = `${key.algorithm.slice("hmac-".length)}=${encodeHex(await key.sign([body]))}`;
    return { method, ...(url !== undefined && { url }), headers: { ...headers, "x-hub-signature": signature }, body };
  },
});

/**
 * WebSub (W3C), formerly PubSubHubbub: `X-Hub-Signature: <method>=<hex>`, HMAC over the body, with
 * the hash that the key was given with: SHA-256 unless its `algorithm` says otherwise.
 */
export const websub: Scheme = websubScheme("websub", "hmac-sha256", "WebSub");

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["X-Hub-Signature"],
  signed: "{body}",
  encoding: "hex",
  keyFrom: "The `hub.secret` you sent with the subscription; with `algorithm` where the hub does not use SHA-256.",
  confidence: "confirmed",
  source: "https://www.w3.org/TR/websub/#authenticated-content-distribution",
  notes: [
    "Content is what the topic is: often Atom or RSS, which is handed on as text.",
    "WebSub asks receivers to answer 2xx also to wrong signatures; a refusal makes the hub send it again.",
  ],
  handshake: "GET `hub.challenge`: the challenge as text if `hub.topic` is among the topics, else 404",
};
