import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { hubspotItems, plainHashNotes } from "../hubspot-items.ts";
import { jsonBodiesOnly } from "../json-bodies-only.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const hubspotV1: Scheme = jsonBodiesOnly(
  definePlainScheme({
    name: "hubspot-v1",
    title: "HubSpot v1",
    promises: { id: "usual", type: "usual" },
    credentials: ["header:x-hubspot-signature-v3"],
    key: textSecret("sha256-prefix"),
    signature: { header: "X-HubSpot-Signature", encoding: hex },
    signed: "{body}",
    repeats: [sameBody(25 * hour, ["*.attemptNumber"])],
    items: hubspotItems,
  }),
);

export const facts: SchemeFacts = {
  keyFrom: "The app's client secret (developer account, the app, Auth).",
  confidence: "confirmed",
  source: "https://developers.hubspot.com/docs/faq/v1-request-validation",
  repeats: {
    source: "https://developers.hubspot.com/docs/api-reference/webhooks-webhooks-v3/guide",
    confidence: "second-hand",
    note: "HubSpot tries again for a day. Events are told apart by id, subject and time.",
  },
  notes: plainHashNotes,
};
