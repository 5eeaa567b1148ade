import { refuse } from "../errors.ts";
import { numericDate, payloadOf, readJws, writeJws } from "../jws.ts";
import { bearerToken } from "../jwt-scheme.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { at } from "../places.ts";
import { unsignedId } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

const issuers: readonly unknown[] = ["https://accounts.google.com", "accounts.google.com"];
/** How far clocks may differ when the lifetime of a token is checked. */
const leewayMs = 60_000;
/**
 * Google's tokens live an hour. A token that claims a longer life was not made for a push
 * subscription.
 */
const longestLifeMs = 3_600_000 + leewayMs;

export const googlePubsub: Scheme = {
  name: "google-pubsub",
  title: "Google Pub/Sub push",
  json: "usual",
  headers: ["x-goog-pubsub-*"],
  credentials: ["header:authorization"],
  key: rsaPublicKey("rsa-sha256"),
  covered: ["sender"],
  id: ["body:message.messageId", "header:x-goog-pubsub-message-id"],
  type: ["body:message.attributes.eventType", "header:eventtype"],
  promises: { id: "usual", type: "usual" },
  metadata: { attempt: "body:deliveryAttempt" },
  repeats: [unsignedId()],
  settings: {
    audience: { about: "the audience set on the push subscription (its URL unless you set one)", required: true },
    email: { about: "the service account of the push subscription", required: true },
  },
  read: ({ headers, body }, { settings, now }) => {
    const jws = readJws(bearerToken(headers, "authorization"), "RS256");
    return [
      {
        signatures: [{ bytes: jws.signature }],
        signed: [`${jws.headerText}.${jws.payloadText}`],
        ...(jws.keyId !== undefined && { keyId: jws.keyId }),
        confirm: () => {
          const claims = payloadOf(jws);
          const expires = numericDate(claims, "exp") ?? refuse("claim_mismatch", "The token has no exp.");
          const issued = numericDate(claims, "iat") ?? refuse("claim_mismatch", "The token has no iat.");
          if (now > expires + leewayMs) refuse("timestamp_too_old", "The token has expired.");
          const from = Math.max(issued, numericDate(claims, "nbf") ?? issued);
          if (from > now + leewayMs) refuse("timestamp_too_new", "The token is from the future.");
          if (expires - issued > longestLifeMs) refuse("claim_mismatch", "The token is valid for more than an hour.");
          if (!issuers.includes(at(claims, "iss"))) refuse("claim_mismatch", "The token is not Google's.");
          if (at(claims, "aud") !== settingOf(settings, "audience"))
            refuse("claim_mismatch", "The token is meant for another audience: compare it with the subscription.");
          if (at(claims, "email") !== settingOf(settings, "email") || at(claims, "email_verified") !== true)
            refuse("claim_mismatch", "The token belongs to another service account.");
          return undefined;
        },
        // One token serves for an hour, so only the body distinguishes deliveries.
        digested: [body],
      },
    ];
  },
  sign: async ({ timestamp, settings }, [key]) => {
    const issued = Math.floor(timestamp / 1000);
    const claims = {
      iss: "https://accounts.google.com",
      aud: settingOf(settings, "audience"),
      email: settingOf(settings, "email"),
      email_verified: true,
      iat: issued,
      exp: issued + 3600,
    };
    const token = await writeJws({ alg: "RS256", typ: "JWT" }, utf8(JSON.stringify(claims)), key);
    return { headers: { authorization: `Bearer ${token}` } };
  },
};

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT with issuer, audience, e-mail and life; not the body",
  encoding: "JWT (RS256)",
  keyFrom: '`jwks("https://www.googleapis.com/oauth2/v3/certs")`.',
  confidence: "confirmed",
  source: "https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions",
  promises: {
    source: "https://cloud.google.com/pubsub/docs/payload-unwrapping",
    note: "Attributes are the publisher's choice; Gmail sets none. With payload unwrapping the body is the message's data, and the id is in a header only if the subscription writes metadata.",
  },
  repeats: {
    source: "https://github.com/googleapis/googleapis/blob/master/google/pubsub/v1/pubsub.proto",
    note: "Ids are unique in their topic.",
  },
  notes: ["A token lives an hour and covers no body: TLS is what keeps deliveries apart."],
};
