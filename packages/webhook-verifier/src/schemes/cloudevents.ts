import { emptyAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import { plainText } from "../plain-text.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf, settingsOf } from "../settings.ts";

/**
 * CloudEvents over HTTP (Azure Event Grid and others) shows a token, as the CloudEvents webhook
 * specification says: `Authorization: Bearer <token>`. **Nothing of the request is authenticated.**
 * @see https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md
 */
export const cloudevents: Scheme = definePlainScheme({
  name: "cloudevents",
  title: "CloudEvents webhooks",
  headers: ["ce-*"],
  key: textSecret("token"),
  signature: { header: "Authorization", encoding: plainText, prefix: "Bearer " },
  signed: "{body}",
  id: "header:ce-id",
  type: "header:ce-type",
  promises: { id: "promised", type: "promised" },
  repeats: [unsignedId(["header:ce-source", "header:ce-id"]), unsignedId(["body:source", "body:id"])],
  covered: ["sender"],
  settings: {
    allowedOrigins: { about: "origins that may deliver here, or `*`; for the handshake", list: true },
    allowedRate: { about: "requests per minute to grant; 120 unless set" },
  },
  handshake: ({ method, headers }, { settings }) => {
    const origin = method === "OPTIONS" ? findHeader(headers, "webhook-request-origin") : undefined;
    if (origin === undefined) return undefined;
    const allowed = settingsOf(settings, "allowedOrigins");
    if (!allowed.includes("*") && !allowed.includes(origin)) return emptyAnswer(403);
    return emptyAnswer(200, {
      allow: "POST",
      "webhook-allowed-origin": origin,
      "webhook-allowed-rate": settingOf(settings, "allowedRate") ?? "120",
    });
  },
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The token you gave the sender.",
  confidence: "confirmed",
  source: "https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md",
  handshake: "OPTIONS with `WebHook-Request-Origin`: allowed origin and rate",
  repeats: {
    source: "https://github.com/cloudevents/spec/blob/main/cloudevents/spec.md",
    note: "Source and id together name an event.",
  },
};
