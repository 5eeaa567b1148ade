import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { hubspotItems, jsonBodiesOnly, plainHashNotes } from "../hubspot-items.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * HubSpot, signature version 1, sends the plain SHA-256 of the client secret and the body:
 * `X-HubSpot-Signature: <hex>`. No time is signed.
 * @see https://developers.hubspot.com/docs/faq/v1-request-validation
 */
export const hubspotV1: Scheme = jsonBodiesOnly(
  definePlainScheme({
    name: "hubspot-v1",
    title: "HubSpot v1",
    key: textSecret("sha256-prefix"),
    signature: { header: "X-HubSpot-Signature", encoding: hex },
    signed: "{body}",
    items: hubspotItems,
  }),
);

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The app's client secret (developer account, the app, Auth).",
  confidence: "confirmed",
  source: "https://developers.hubspot.com/docs/faq/v1-request-validation",
  notes: plainHashNotes,
};
