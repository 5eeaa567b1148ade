import { textOf } from "#platform";
import { emptyAnswer, queryOf, textAnswer } from "../answers.ts";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import { jsonIn } from "../json.ts";
import type { KeyNotation } from "../keys/key.ts";
import { textSecret } from "../keys/secret.ts";
import type { Algorithm } from "../platform/contract.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { HandshakeAnswer, Scheme, SchemeFacts, Settings } from "../scheme.ts";
import { settingsOf } from "../settings.ts";

const algorithms = ["hmac-sha256", "hmac-sha384", "hmac-sha512", "hmac-sha1"] as const;

/** The recognized names of methods (WebSub, 8.1). */
const algorithmOf = (method: string): Algorithm | undefined => algorithms.find((known) => known === `hmac-${method}`);

/** A secret with its hash. The key decides the hash; a message never does. */
const notation = (usual: (typeof algorithms)[number]): KeyNotation => ({
  ...textSecret(usual),
  algorithms: [usual, ...algorithms.filter((other) => other !== usual)],
  verifying: (key, algorithm = usual) => textSecret(algorithm).verifying(key),
});

/** Answers a hub that asks whether you meant the subscription: yes for the topics that you list. */
const confirmation = (url: string | undefined, settings: Settings): HandshakeAnswer | undefined => {
  const mode = queryOf(url, "hub.mode");
  if (mode === "denied") return emptyAnswer(200);
  const challenge = queryOf(url, "hub.challenge");
  if ((mode !== "subscribe" && mode !== "unsubscribe") || challenge === undefined) return undefined;
  return settingsOf(settings, "topics").includes(queryOf(url, "hub.topic") ?? "")
    ? textAnswer(challenge)
    : emptyAnswer(404);
};

/** Makes a scheme of the WebSub family. Its schemes differ only in the hash that the hub uses. */
export const websubScheme = (
  name: string,
  usual: (typeof algorithms)[number],
  title: string,
  repeats: Scheme["repeats"],
): Scheme => ({
  name,
  title,
  promises: { id: "absent", type: "absent" },
  key: notation(usual),
  covered: ["body"],
  json: "usual",
  // Names the topic.
  headers: ["link"],
  credentials: ["header:x-hub-signature"],
  repeats,
  settings: { topics: { about: "the topic URLs you subscribe to; only these are confirmed to a hub", list: true } },
  // The topic decides the content: JSON, or the text of a feed.
  parse: (body) => jsonIn(body) ?? textOf(body),
  read: ({ headers, body }) => {
    const [method = "", digits = "", ...more] = getHeader(headers, "x-hub-signature").split("=");
    const algorithm = algorithmOf(method);
    const bytes = decodeHex(digits);
    if (algorithm === undefined || !bytes?.length || more.length > 0)
      return refuse("signature_malformed", "The header X-Hub-Signature is not method=hex.");
    return [{ signatures: [{ bytes, algorithm }], signed: [body] }];
  },
  handshakes: [{ by: "GET", type: "text/plain" }, { by: "GET" }, { by: "GET", status: 404 }],
  handshake: ({ method, url }, { settings }) => (method === "GET" ? confirmation(url, settings) : undefined),
  sign: async ({ body }, [key]) => {
    const signature = `${key.algorithm.slice("hmac-".length)}=${encodeHex(await key.sign([body]))}`;
    return { headers: { "x-hub-signature": signature } };
  },
});

export const websub: Scheme = websubScheme("websub", "hmac-sha256", "WebSub", [noRepeat]);

export const facts: SchemeFacts = {
  headers: ["X-Hub-Signature"],
  signed: "{body}",
  encoding: "hex",
  keyFrom: "The `hub.secret` you sent with the subscription; with `algorithm` where the hub does not use SHA-256.",
  confidence: "confirmed",
  source: "https://www.w3.org/TR/websub/#authenticated-content-distribution",
  repeats: {
    source: "https://www.w3.org/TR/websub/#content-distribution",
    confidence: "second-hand",
    why: "The topic decides the content, which can become again what it was.",
  },
  notes: [
    "The topic decides the content. It is often Atom or RSS, which you get as text.",
    "WebSub asks receivers to answer 2xx also to wrong signatures; a refusal makes the hub send it again.",
  ],
  handshake: "GET `hub.challenge`: the challenge as text if `hub.topic` is among the topics, else 404",
};
