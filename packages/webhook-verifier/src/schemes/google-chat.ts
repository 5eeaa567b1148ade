import { googleIssuers, oidcScheme } from "../oidc-scheme.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const googleChat: Scheme = oidcScheme({
  name: "google-chat",
  title: "Google Chat",
  issuers: googleIssuers,
  email: "chat@system.gserviceaccount.com",
  type: "body:type",
  promises: { id: "absent", type: "usual" },
  repeats: [sameBody(hour)],
  settings: {
    audience: { about: "the app's HTTP endpoint URL, exactly as it was configured", required: true },
    email: { about: "the app's service account, if its connection settings show one; Chat's own otherwise" },
  },
});

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT; not the body",
  encoding: "JWT (RS256)",
  keyFrom: '`jwks("https://www.googleapis.com/oauth2/v3/certs")`.',
  confidence: "confirmed",
  source: "https://developers.google.com/workspace/chat/verify-requests-from-chat",
  promises: { note: "Calls of add-ons name no type." },
  repeats: {
    source: "https://developers.google.com/workspace/chat/receive-respond-interactions",
    confidence: "second-hand",
    note: "`eventTime` is the event's time. Retries are not documented; an hour is ours.",
  },
  notes: [
    "Newer apps are called with tokens of a service account of their own: set `email`.",
    "Choose “HTTP endpoint URL” as the authentication audience of the app; tokens for a project number have another issuer and are refused.",
  ],
};
