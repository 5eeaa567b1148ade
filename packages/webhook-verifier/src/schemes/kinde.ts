import { bodyJwtScheme } from "../body-jwt-scheme.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const kinde: Scheme = bodyJwtScheme({
  name: "kinde",
  title: "Kinde",
  id: "body:event_id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  data: "data",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  headers: [],
  signed: "the body, which is a JWT",
  encoding: "JWT (RS256)",
  keyFrom: '`jwks("https://<your domain>.kinde.com/.well-known/jwks.json")`.',
  confidence: "confirmed",
  source: "https://github.com/kinde-oss/kinde-webhooks-ts",
  repeats: { source: "https://docs.kinde.com/integrate/webhooks/about-webhooks/", confidence: "second-hand" },
  notes: ["The claims of the token are the event. A time is checked only if the token has `exp`, `nbf` or `iat`."],
};
