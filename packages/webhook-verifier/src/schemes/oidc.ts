import { readContent } from "../content.ts";
import { oidcScheme } from "../oidc-scheme.ts";
import { idIfSent, usualIdHeaders } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const oidc: Scheme = oidcScheme({
  name: "oidc",
  title: "OpenID Connect ID token (generic)",
  promises: { id: "unknown", type: "unknown" },
  parse: readContent,
  json: "usual",
  methods: ["GET", "PUT"],
  id: usualIdHeaders,
  repeats: idIfSent,
  settings: {
    issuer: { about: "what `iss` must be, exactly", required: true },
    audience: { about: "what `aud` must be or hold", required: true },
    email: { about: "the account whose tokens count; it must be a verified address" },
    subject: { about: "the `sub` whose tokens count" },
  },
});

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT; not the body",
  encoding: "JWT (RS256)",
  keyFrom: "`jwks(url)` with the `jwks_uri` of the issuer's discovery document.",
  confidence: "confirmed",
  source: "https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
  repeats: {
    source: "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header",
    confidence: "second-hand",
    why: "The sender decides what the body holds.",
  },
  notes: [
    "Set `email` or `subject` as well where others have accounts at the same issuer: anyone of them may be able to get a token for your audience.",
    "A token covers no body: TLS is what keeps deliveries apart.",
  ],
};
