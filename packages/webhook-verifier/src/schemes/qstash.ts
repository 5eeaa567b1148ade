import { readContent } from "../content.ts";
import { refuse } from "../errors.ts";
import { jwtScheme } from "../jwt-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { at } from "../places.ts";
import { noRepeat, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

export const qstash: Scheme = jwtScheme({
  name: "qstash",
  title: "QStash (Upstash)",
  promises: { id: "promised", type: "absent" },
  parse: readContent,
  json: "usual",
  methods: ["GET", "PUT"],
  headers: ["upstash-caller-ip", "upstash-schedule-id", "upstash-topic-name"],
  key: textSecret("hmac-sha256"),
  header: "Upstash-Signature",
  alg: "HS256",
  issuer: "Upstash",
  expires: true,
  bodyHash: { claim: "body", encoding: "base64url" },
  id: "header:upstash-message-id",
  settings: { url: { about: "the URL as QStash was given it; other messages of yours are refused then" } },
  check: (claims, settings) => {
    const url = settingOf(settings, "url");
    if (url !== undefined && at(claims, "sub") !== url)
      refuse("claim_mismatch", "The message is for another URL: compare the setting `url`.");
  },
  claims: (settings) => ({ sub: settingOf(settings, "url") }),
  repeats: [unsignedId(), noRepeat],
  metadata: { attempt: "header:upstash-retried" },
});

export const facts: SchemeFacts = {
  headers: ["Upstash-Signature"],
  signed: "JWT with `body`, the SHA-256 of the body",
  encoding: "JWT (HS256)",
  keyFrom: "Upstash Console, QStash, Signing keys: the current and the next one.",
  confidence: "confirmed",
  source: "https://upstash.com/docs/qstash/howto/signature",
  repeats: {
    source: "https://upstash.com/docs/qstash/howto/signature",
    why: "Every message that QStash sends has an id.",
    risk: "Somebody who has seen a delivery can send it again under another id, as long as its token is valid.",
  },
  notes: ["All URLs of an account share their keys. Set `url` if a message for one must not be taken by another."],
};
