import { jwtScheme } from "../jwt-scheme.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const fusionauth: Scheme = jwtScheme({
  name: "fusionauth",
  title: "FusionAuth",
  key: rsaPublicKey("rsa-sha256"),
  header: "X-FusionAuth-Signature-JWT",
  alg: "RS256",
  bodyHash: { claim: "request_body_sha256", encoding: "base64" },
  id: "body:event.id",
  type: "body:event.type",
  promises: { id: "promised", type: "promised" },
  data: "event",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  headers: ["X-FusionAuth-Signature-JWT"],
  signed: "JWT with `request_body_sha256` of the body",
  encoding: "JWT (RS256)",
  keyFrom: "`jwks(url)` with `/.well-known/jwks.json` of your FusionAuth, or the public key in its Key Master.",
  confidence: "confirmed",
  source: "https://fusionauth.io/docs/extend/events-and-webhooks/signing",
  repeats: { source: "https://fusionauth.io/docs/extend/events-and-webhooks/events/", confidence: "second-hand" },
  notes: [
    "Choose an RSA key with RS256 for the webhook: tokens of other algorithms are refused.",
    "A time is checked only if the token has `exp`, `nbf` or `iat`.",
  ],
};
