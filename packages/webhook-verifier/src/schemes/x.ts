import { jsonAnswer, queryOf } from "../answers.ts";
import { base64, encodeBase64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * X, formerly Twitter, signs the body with HMAC-SHA256 and sends
 * `x-twitter-webhooks-signature: sha256=<base64>`. No time is signed.
 * @see https://docs.x.com/x-api/webhooks/quickstart
 */
export const x: Scheme = definePlainScheme({
  name: "x",
  title: "X (Twitter)",
  key: textSecret("hmac-sha256"),
  signature: { header: "x-twitter-webhooks-signature", encoding: base64, prefix: "sha256=" },
  signed: "{body}",
  repeats: [sameBody(3 * day)],
  handshake: async ({ method, url }, { mac }) => {
    const token = method === "GET" ? queryOf(url, "crc_token") : undefined;
    return token === undefined
      ? undefined
      : jsonAnswer({ response_token: `sha256=${encodeBase64(await mac([token]))}` });
  },
});

/** For the documentation. Bundlers leave it out. */
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
  notes: ["The CRC answers with the HMAC of any token it is asked for, as X wants it; answer it only on this URL."],
};
