import { readContent } from "../content.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { hubspotItems, plainHashNotes } from "../hubspot-items.ts";
import { jsonBodiesOnly } from "../json-bodies-only.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const hubspotV2: Scheme = jsonBodiesOnly(
  definePlainScheme({
    name: "hubspot-v2",
    title: "HubSpot v2",
    promises: { id: "usual", type: "usual" },
    queryIsPayload: true,
    parse: readContent,
    json: "usual",
    methods: ["GET"],
    credentials: ["header:x-hubspot-signature-v3"],
    key: textSecret("sha256-prefix"),
    signature: { header: "X-HubSpot-Signature", encoding: hex },
    signed: "{method}{url}{body}",
    repeats: [{ by: "signed-id", id: "body:callbackId" }, noRepeat],
    items: hubspotItems,
  }),
);

export const facts: SchemeFacts = {
  keyFrom: "The app's client secret (developer account, the app, Auth).",
  confidence: "confirmed",
  source: "https://developers.hubspot.com/docs/faq/v2-request-validation",
  promises: { note: "Calls of cards and workflows have no type." },
  repeats: {
    source: "https://developers.hubspot.com/docs/api-reference/webhooks-webhooks-v3/guide",
    confidence: "second-hand",
    note: "Events are told apart by id, subject and time, and calls of workflows by `callbackId`.",
    why: "Requests of cards have no body, and come again whenever a card is shown.",
  },
  notes: plainHashNotes,
};
