import { bodyJwtScheme } from "../body-jwt-scheme.ts";
import type { Scheme } from "../scheme.ts";

/** Kinde: the body is a JWT (RS256, `application/jwt`) whose claims are the event. */
export const kinde: Scheme = bodyJwtScheme({
  name: "kinde",
  facts: {
    title: "Kinde",
    keyFrom: '`jwks("https://<your domain>.kinde.com/.well-known/jwks.json")`.',
    confidence: "confirmed",
    source: "https://github.com/kinde-oss/kinde-webhooks-ts",
  },
  id: "body:event_id",
  type: "body:type",
});
