import { googleIssuers, oidcScheme } from "../oidc-scheme.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Google Chat apps with an HTTP endpoint get `Authorization: Bearer <JWT>` (RS256) of Chat's own
 * service account. **The body is not authenticated.** This is known from other libraries and
 * guides; the sender's own documentation could not be read.
 * @see https://developers.google.com/workspace/chat/verify-requests-from-chat
 */
export const googleChat: Scheme = oidcScheme({
  name: "google-chat",
  title: "Google Chat",
  issuers: googleIssuers,
  email: "chat@system.gserviceaccount.com",
  type: "body:type",
  settings: { audience: { about: "the app's HTTP endpoint URL, exactly as it was configured", required: true } },
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT; not the body",
  encoding: "JWT (RS256)",
  keyFrom: '`jwks("https://www.googleapis.com/oauth2/v3/certs")`.',
  confidence: "second-hand",
  source: "https://developers.google.com/workspace/chat/verify-requests-from-chat",
  notes: [
    "Choose “HTTP endpoint URL” as the authentication audience of the app; tokens for a project number have another issuer and are refused.",
  ],
};
