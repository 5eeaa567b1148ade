import { jsonAnswer } from "../answers.ts";
import { refuse } from "../errors.ts";
import { shortJson } from "../json.ts";
import { jwtScheme } from "../jwt-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { noRepeat, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingsOf } from "../settings.ts";

/** Host and path. A proxy can change the rest on the way. */
const endpointOf = (url: string): string | undefined =>
  /^https?:\/\/([^/?#:]+)(?::\d+)?([^?#]*)/i.exec(url)?.slice(1).join("").replace(/\/$/, "").toLowerCase();

export const monday: Scheme = jwtScheme({
  name: "monday",
  title: "monday.com",
  key: textSecret("hmac-sha256"),
  header: "Authorization",
  alg: "HS256",
  id: "body:event.triggerUuid|runtimeMetadata.actionUuid",
  type: "body:event.type|type",
  promises: { id: "usual", type: "usual" },
  data: "event",
  repeats: [unsignedId(), noRepeat],
  settings: {
    audience: {
      about: "the URLs that the tokens may be for, as monday.com has them; the one that is called unless set",
      list: true,
    },
  },
  check: (claims, settings, url) => {
    const audience = asText(at(claims, "aud"));
    const given = settingsOf(settings, "audience");
    const expected = given.length > 0 ? given : url === undefined ? [] : [url];
    if (audience === undefined || expected.length === 0) return;
    if (!expected.some((one) => one === audience || endpointOf(one) === endpointOf(audience)))
      refuse("claim_mismatch", "The token is for another endpoint: set `audience` to the URL that monday.com has.");
  },
  handshakes: [{ by: "POST", type: "application/json" }],
  handshake: ({ body }) => {
    const payload = shortJson(body);
    const challenge = asText(at(payload, "challenge"));
    return challenge === undefined || at(payload, "event") !== undefined ? undefined : jsonAnswer({ challenge });
  },
});

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT; not the body",
  encoding: "JWT (HS256)",
  keyFrom:
    "Developer Center, the app, Basic information: the Signing Secret; for app lifecycle webhooks the Client Secret. Give both if they come to one address.",
  confidence: "confirmed",
  source: "https://developer.monday.com/apps/docs/advanced-concepts",
  handshake: "POST `challenge`: the challenge as JSON",
  promises: {
    source: "https://developer.monday.com/apps/docs/custom-actions",
    note: "Calls of an app's own workflow blocks have neither.",
  },
  repeats: {
    source: "https://developer.monday.com/api-reference/reference/webhooks",
    confidence: "second-hand",
    why: "App lifecycle events have no id.",
  },
  notes: [
    "Of a token's `aud`, host and path are compared, because a proxy can change the rest. A token without `aud` is for any endpoint of the app.",
    "Webhooks that were made without an app carry no token: take the scheme `token` with a secret in the URL.",
  ],
};
