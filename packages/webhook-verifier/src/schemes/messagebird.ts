import { jwtScheme } from "../jwt-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const messagebird: Scheme = jwtScheme({
  name: "messagebird",
  title: "MessageBird",
  promises: { id: "absent", type: "absent" },
  key: textSecret("hmac-sha256"),
  repeats: [sameBody(3 * day)],
  header: "MessageBird-Signature-JWT",
  alg: "HS256",
  issuer: "MessageBird",
  expires: true,
  tokenId: true,
  time: { claim: "nbf", toleranceSeconds: 60 },
  bodyHash: { claim: "payload_hash", encoding: "hex" },
  urlHash: { claim: "url_hash", encoding: "hex" },
});

export const facts: SchemeFacts = {
  headers: ["MessageBird-Signature-JWT"],
  signed: "JWT with `payload_hash` of the body and `url_hash` of the URL",
  encoding: "JWT (HS256)",
  keyFrom: "MessageBird dashboard, Developers, API settings, the signing key.",
  confidence: "confirmed",
  source: "https://github.com/messagebird/messagebird-nodejs/blob/master/lib/webhook-signature-jwt.js",
  repeats: {
    source: "https://developers.messagebird.com/api/#verifying-http-requests",
    note: "The URL counts as well: reports have their content there. Each attempt has a token of its own. The time of retries is not documented; three days are ours.",
  },
  notes: ["The URL is the one MessageBird called, query included; behind a proxy rebuild it or set `url`."],
};
