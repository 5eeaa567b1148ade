import { equal, hash } from "#platform";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { encodeHex } from "../hex.ts";
import { numericDate, payloadOf, readJws, writeJws } from "../jws.ts";
import { ecdsaPublicKey } from "../keys/public.ts";
import { asText, at } from "../places.ts";
import { sameMessage } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const header = "plaid-verification";

export const plaid: Scheme = {
  name: "plaid",
  title: "Plaid",
  credentials: ["header:plaid-verification"],
  key: ecdsaPublicKey("ecdsa-p256-sha256"),
  toleranceSeconds: 300,
  covered: ["timestamp", "body", "type"],
  type: ["body:webhook_type", "body:webhook_code"],
  promises: { id: "absent", type: "promised" },
  repeats: [sameMessage()],
  read: ({ headers, body }) => {
    const jws = readJws(getHeader(headers, header), "ES256");
    return [
      {
        signatures: [{ bytes: jws.signature }],
        signed: [`${jws.headerText}.${jws.payloadText}`],
        ...(jws.keyId !== undefined && { keyId: jws.keyId }),
        confirm: async () => {
          const claims = payloadOf(jws);
          const digest = utf8(encodeHex(await hash("sha256", [body])));
          if (!equal(digest, utf8(asText(at(claims, "request_body_sha256")) ?? "")))
            refuse("digest_mismatch", "The body is not the one whose digest the token holds.");
          return {
            timestamp: numericDate(claims, "iat") ?? refuse("timestamp_malformed", "The token has no iat."),
          };
        },
      },
    ];
  },
  sign: async ({ body, timestamp }, [key]) => {
    const claims = {
      iat: Math.floor(timestamp / 1000),
      request_body_sha256: encodeHex(await hash("sha256", [body])),
    };
    const token = await writeJws({ alg: "ES256", typ: "JWT" }, utf8(JSON.stringify(claims)), key);
    return { headers: { [header]: token } };
  },
};

export const facts: SchemeFacts = {
  headers: ["Plaid-Verification"],
  signed: "JWT with `iat` and `request_body_sha256`, checked against the body",
  encoding: "JWT (ES256)",
  keyFrom: "`keyLookup((kid) => …)` around Plaid's API method `/webhook_verification_key/get`.",
  confidence: "confirmed",
  source: "https://plaid.com/docs/api/webhooks/webhook-verification/",
  repeats: {
    source: "https://plaid.com/docs/api/webhooks/",
    confidence: "second-hand",
    note: "Bodies such as `SYNC_UPDATES_AVAILABLE` recur, so only the same token is a repeat.",
  },
  notes: ["Keys carry `expired_at`: hand it on as `notAfter`."],
};
