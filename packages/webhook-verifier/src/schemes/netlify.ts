import { jwtScheme } from "../jwt-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * Netlify outgoing webhooks: `X-Webhook-Signature` holds a JWT (HS256) with the hex SHA-256 of the
 * body. Known from other libraries and guides; the sender's own documentation could not be read.
 */
export const netlify: Scheme = jwtScheme({
  name: "netlify",
  facts: {
    title: "Netlify",
    keyFrom: "The JWS secret token you gave the notification (Notifications, HTTP POST request).",
    confidence: "second-hand",
    source: "https://docs.netlify.com/deploy/deploy-notifications/#payload-signature",
  },
  key: textSecret("hmac-sha256"),
  header: "X-Webhook-Signature",
  alg: "HS256",
  issuer: "netlify",
  bodyHash: { claim: "sha256", encoding: "hex" },
  id: "header:x-netlify-event-id",
  type: "header:x-netlify-event",
});
