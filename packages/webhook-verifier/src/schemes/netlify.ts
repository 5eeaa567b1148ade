import { jwtScheme } from "../jwt-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const netlify: Scheme = jwtScheme({
  name: "netlify",
  title: "Netlify",
  key: textSecret("hmac-sha256"),
  header: "X-Webhook-Signature",
  alg: "HS256",
  issuer: "netlify",
  bodyHash: { claim: "sha256", encoding: "hex" },
  type: "header:x-netlify-event",
  promises: { id: "absent", type: "usual" },
  repeats: [sameBody(3 * day)],
});

export const facts: SchemeFacts = {
  headers: ["X-Webhook-Signature"],
  signed: "JWT with `sha256` of the body",
  encoding: "JWT (HS256)",
  keyFrom: "The JWS secret token you gave the notification (Notifications, HTTP POST request).",
  confidence: "second-hand",
  source: "https://docs.netlify.com/deploy/deploy-notifications/#payload-signature",
  repeats: {
    source: "https://docs.netlify.com/deploy/deploy-notifications/",
    confidence: "second-hand",
    note: "Deploys hold their state and the time of its change. The time of retries is not documented; three days are ours.",
  },
  notes: ["A time is checked only if the token has `exp`, `nbf` or `iat`."],
};
