import { bodyJwtScheme } from "../body-jwt-scheme.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/** Kinde: the body is a JWT (RS256, `application/jwt`) whose claims are the event. */
export const kinde: Scheme = bodyJwtScheme({
  name: "kinde",
  title: "Kinde",
  id: "body:event_id",
  type: "body:type",
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: [],
  signed: "the body, which is a JWT",
  encoding: "JWT (RS256)",
  keyFrom: '`jwks("https://<your domain>.kinde.com/.well-known/jwks.json")`.',
  confidence: "confirmed",
  source: "https://github.com/kinde-oss/kinde-webhooks-ts",
};
