import { jsonAnswer, queryOf } from "../answers.ts";
import { apartFromChallenges } from "../apart-from-challenges.ts";
import { definePlainScheme } from "../define-scheme.ts";
import type { Encoding } from "../encoding.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const prefix = "hmacsha256=";

/** Guides disagree whether the header has the prefix. */
const prefixedHex: Encoding = {
  name: "hex",
  decode: (text) => decodeHex(text.startsWith(prefix) ? text.slice(prefix.length) : text),
  encode: encodeHex,
};

const plain = definePlainScheme({
  name: "linkedin",
  title: "LinkedIn",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-LI-Signature", encoding: prefixedHex },
  signed: `${prefix}{body}`,
  type: "body:type",
  promises: { id: "usual", type: "usual" },
  repeats: [sameBody(3 * day)],
  handshakes: [{ by: "GET", type: "application/json" }],
  handshake: async ({ method, url }, { mac }) => {
    const challengeCode = method === "GET" ? queryOf(url, "challengeCode") : undefined;
    // Only ids as LinkedIn makes them: the code of any text would be the signature of any body.
    if (challengeCode === undefined || !/^[0-9a-f-]{36}$/i.test(challengeCode)) return undefined;
    return jsonAnswer({
      challengeCode,
      challengeResponse: encodeHex(await mac([challengeCode], queryOf(url, "applicationId"))),
    });
  },
});

export const linkedin: Scheme = apartFromChallenges({
  ...plain,
  read: async (request, reading) =>
    (await plain.read(request, reading)).map((claim) => ({ ...claim, alternatives: () => [[request.body]] })),
  items: itemsAt("notifications", {}),
});

export const facts: SchemeFacts = {
  keyFrom: "LinkedIn Developer Portal, the app, Auth, the primary client secret.",
  confidence: "second-hand",
  source: "https://learn.microsoft.com/en-us/linkedin/shared/api-guide/webhook-validation",
  handshake: "GET `challengeCode`: its HMAC as JSON `challengeResponse`, at setup and every two hours",
  repeats: {
    source: "https://learn.microsoft.com/en-us/linkedin/shared/api-guide/webhook-validation",
    confidence: "second-hand",
    note: "Notifications have ids and hold their time. The time of retries is not documented; three days are ours.",
  },
  notes: [
    "An integration with parent and child applications (Apply Connect) is asked with an `applicationId`: the secret of that application answers. Give each secret its application's id: `keys: [{ key, id: applicationId }]`. A secret without an id answers for all.",
    "The challenge is confirmed by LinkedIn's own documentation; how deliveries are signed is second-hand, and both readings of it are taken.",
    "Anybody can ask for the HMAC of a code. Only ids are answered, and a body without a brace is refused: so no answer is the signature of a body.",
  ],
};
