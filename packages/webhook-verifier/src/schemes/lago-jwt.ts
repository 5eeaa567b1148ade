import { refuse } from "../errors.ts";
import { jwtScheme } from "../jwt-scheme.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { at } from "../places.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

// The claim `data` of the token repeats the body.
export const lagoJwt: Scheme = jwtScheme({
  name: "lago-jwt",
  title: "Lago (JWT)",
  key: rsaPublicKey("rsa-sha256"),
  header: "X-Lago-Signature",
  alg: "RS256",
  bodyHash: { claim: "data", encoding: "text" },
  id: "header:x-lago-unique-key",
  type: "body:webhook_type",
  promises: { id: "promised", type: "promised" },
  repeats: [unsignedId()],
  settings: {
    issuer: { about: "what `iss` must be: the address of the API, https://api.getlago.com for Lago's cloud" },
  },
  check: (claims, settings) => {
    const issuer = settingOf(settings, "issuer");
    if (issuer !== undefined && at(claims, "iss") !== issuer)
      refuse("claim_mismatch", `The token is not from ${issuer}.`);
  },
  claims: (settings) => ({ iss: settingOf(settings, "issuer") }),
});

export const facts: SchemeFacts = {
  headers: ["X-Lago-Signature"],
  signed: "JWT with `data`, the text of the body",
  encoding: "JWT (RS256)",
  keyFrom: "Lago's API, `GET /api/v1/webhooks/public_key`: it answers with the PEM in base64; decode it.",
  confidence: "confirmed",
  source: "https://github.com/getlago/lago-api/blob/main/app/models/webhook.rb",
  repeats: {
    source: "https://github.com/getlago/lago-api/blob/main/app/models/webhook.rb",
    note: "The key stays the same when Lago tries again.",
  },
  notes: ["A time is checked only if the token has `exp`, `nbf` or `iat`."],
};
