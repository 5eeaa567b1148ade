import { jsonAnswer, queryOf } from "../answers.ts";
import { apartFromChallenges } from "../apart-from-challenges.ts";
import { base64, encodeBase64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const x: Scheme = apartFromChallenges(
  definePlainScheme({
    name: "x",
    title: "X (Twitter)",
    promises: { id: "absent", type: "absent" },
    key: textSecret("hmac-sha256"),
    signature: { header: "x-twitter-webhooks-signature", encoding: base64, prefix: "sha256=" },
    signed: "{body}",
    repeats: [sameBody(3 * day)],
    handshakes: [{ by: "GET", type: "application/json" }],
    handshake: async ({ method, url }, { mac }) => {
      const token = method === "GET" ? queryOf(url, "crc_token") : undefined;
      // Only tokens as X makes them: the code of any text would be the signature of any body.
      if (token === undefined || !/^[\w+/=.~:-]{1,500}$/.test(token)) return undefined;
      return jsonAnswer({ response_token: `sha256=${encodeBase64(await mac([token]))}` });
    },
  }),
);

export const facts: SchemeFacts = {
  keyFrom: "The app's consumer secret (API key secret) in the developer portal.",
  confidence: "confirmed",
  source: "https://docs.x.com/x-api/webhooks/quickstart",
  handshake: "GET `crc_token`: its HMAC as JSON `response_token`, at setup and hourly",
  repeats: {
    source: "https://docs.x.com/x-api/account-activity/introduction",
    confidence: "second-hand",
    note: "Activities hold ids and times. The time of retries is not documented; three days are ours.",
  },
  notes: [
    "Anybody can ask for the HMAC of a token. Only tokens of letters, digits and `+/=.~:_-` are answered, and a body without a brace is refused: so no answer is the signature of a body.",
  ],
};
