import { textOf } from "#platform";
import { emptyAnswer } from "../answers.ts";
import { readCloudEvent } from "../cloud-event.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { itemsAt } from "../items.ts";
import { jsonIn } from "../json.ts";
import { textSecret } from "../keys/secret.ts";
import { at } from "../places.ts";
import { plainText } from "../plain-text.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf, settingsOf } from "../settings.ts";

const base = definePlainScheme({
  name: "cloudevents",
  title: "CloudEvents webhooks",
  headers: ["ce-*"],
  key: textSecret("token"),
  signature: { header: "Authorization", encoding: plainText, prefix: "Bearer " },
  signed: "{body}",
  promises: { id: "promised", type: "promised" },
  id: "body:id",
  type: "body:type",
  data: "data",
  beside: ["id", "source", "specversion", "type", "subject", "time", "dataschema", "datacontenttype"],
  repeats: [unsignedId(["body:source", "body:id"])],
  covered: ["sender"],
  json: "usual",
  parse: readCloudEvent,
  items: itemsAt(undefined, { id: "id", type: "type" }),
  settings: {
    allowedOrigins: { about: "origins that may deliver here, or `*`; for the handshake", list: true },
    allowedRate: { about: "requests per minute to grant; 120 unless set" },
  },
  handshakes: [{ by: "OPTIONS" }, { by: "OPTIONS", status: 403 }],
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

export const cloudevents: Scheme = {
  ...base,
  // A body that is an event in JSON is sent as it is, and any other body as the data of one.
  sign: async ({ headers, body, id, type }, [key]) => {
    const isEvent = at(jsonIn(body), "specversion") !== undefined;
    const binary = {
      "ce-specversion": "1.0",
      "ce-source": "/",
      "ce-id": id,
      ...(type !== undefined && { "ce-type": type }),
    };
    return {
      headers: {
        ...(isEvent ? { "content-type": "application/cloudevents+json" } : binary),
        ...headers,
        authorization: `Bearer ${textOf(await key.sign([])) ?? ""}`,
      },
    };
  },
};

export const facts: SchemeFacts = {
  keyFrom: "The token you gave the sender.",
  confidence: "confirmed",
  source: "https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md",
  handshake: "OPTIONS with `WebHook-Request-Origin`: allowed origin and rate",
  repeats: {
    source: "https://github.com/cloudevents/spec/blob/main/cloudevents/spec.md",
    note: "Source and id together name an event.",
  },
  notes: [
    "Each mode is read: binary (attributes in `ce-` headers), structured (`application/cloudevents+json`), and batched (`application/cloudevents-batch+json`), of which each event is one of its own.",
    "`data` may be absent. Data in base64 are decoded if `datacontenttype` says JSON or text. Other bytes stay where they are: in `data_base64`, or in the body.",
  ],
};
