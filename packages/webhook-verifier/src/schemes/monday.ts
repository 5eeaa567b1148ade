import { jsonAnswer } from "../answers.ts";
import { shortJson } from "../json.ts";
import { jwtScheme } from "../jwt-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * monday.com apps and integrations get a JWT (HS256) in `Authorization`, which says who calls.
 * **The body is not authenticated.**
 * @see https://github.com/mondaycom/welcome-apps/blob/master/apps/github-monday-code/src/middlewares/authentication.js
 */
export const monday: Scheme = jwtScheme({
  name: "monday",
  title: "monday.com",
  key: textSecret("hmac-sha256"),
  header: "Authorization",
  alg: "HS256",
  id: "body:event.triggerUuid|runtimeMetadata.actionUuid",
  type: "body:event.type",
  promises: { id: "usual", type: "usual" },
  data: "event",
  repeats: [unsignedId()],
  handshake: ({ body }) => {
    const payload = shortJson(body);
    const challenge = asText(at(payload, "challenge"));
    return challenge === undefined || at(payload, "event") !== undefined ? undefined : jsonAnswer({ challenge });
  },
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT; not the body",
  encoding: "JWT (HS256)",
  keyFrom: "Developer Center, the app, Basic information, Signing Secret.",
  confidence: "confirmed",
  source:
    "https://github.com/mondaycom/welcome-apps/blob/master/apps/github-monday-code/src/middlewares/authentication.js",
  handshake: "POST `challenge`: the challenge as JSON",
  promises: {
    source: "https://developer.monday.com/apps/docs/custom-actions",
    note: "Calls of an app's own workflow blocks have neither.",
  },
  repeats: { source: "https://developer.monday.com/api-reference/reference/webhooks", confidence: "second-hand" },
  notes: ["Webhooks that were made without an app carry no token: take the scheme `token` with a secret in the URL."],
};
