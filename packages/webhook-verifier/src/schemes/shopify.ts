import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const shopify: Scheme = definePlainScheme({
  name: "shopify",
  title: "Shopify",
  headers: [
    "x-shopify-shop-domain",
    "x-shopify-api-version",
    "x-shopify-event-id",
    "x-shopify-triggered-at",
    "x-shopify-sub-topic",
    "x-shopify-test",
    "x-shopify-order-id",
    "x-shopify-name",
    "shopify-shop-domain",
    "shopify-api-version",
    "shopify-handle",
    "shopify-action",
    "shopify-triggered-at",
  ],
  key: textSecret("hmac-sha256"),
  signature: { header: ["X-Shopify-Hmac-SHA256", "Shopify-Hmac-SHA256"], encoding: base64 },
  signed: "{body}",
  id: "header:x-shopify-webhook-id|shopify-webhook-id",
  type: "header:x-shopify-topic|shopify-topic",
  promises: { id: "promised", type: "promised" },
  metadata: { apiVersion: "header:x-shopify-api-version|shopify-api-version" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom:
    "The app's client secret (Partner Dashboard, the app, API credentials); for webhooks made in a shop's admin the key shown below them.",
  confidence: "confirmed",
  source: "https://shopify.dev/docs/apps/build/webhooks/subscribe/https",
  repeats: {
    source: "https://shopify.dev/docs/apps/build/webhooks/ignore-duplicates",
    note: "One event can have several webhooks, which share `X-Shopify-Event-Id`.",
  },
  notes: [
    "After a rotation deliveries can come signed with the old secret for an hour: give both.",
    "Newer deliveries have the same headers without `X-`; either is read.",
  ],
};
