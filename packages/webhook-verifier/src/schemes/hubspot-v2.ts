import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { hubspotItems, jsonBodiesOnly, plainHashNotes } from "../hubspot-items.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * HubSpot, signature version 2: `X-HubSpot-Signature: <hex>`, plain SHA-256 over client secret, method, URL and body. No
 * time.
 */
export const hubspotV2: Scheme = jsonBodiesOnly(
  defineScheme({
    name: "hubspot-v2",
    facts: {
      title: "HubSpot v2",
      keyFrom: "The app's client secret (developer account, the app, Auth).",
      confidence: "confirmed",
      source: "https://developers.hubspot.com/docs/faq/v2-request-validation",
      notes: plainHashNotes,
    },
    key: textSecret("sha256-prefix"),
    signature: { header: "X-HubSpot-Signature", encoding: hex },
    signed: "{method}{url}{body}",
    items: hubspotItems,
  }),
);
