import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader, type HeaderSource } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import { after } from "../runtime.ts";
import type { Assertion, Scheme, SchemeFacts } from "../scheme.ts";

const scheme = definePlainScheme({
  name: "shopify",
  title: "Shopify",
  key: textSecret("hmac-sha256"),
  signature: { header: ["X-Shopify-Hmac-SHA256", "Shopify-Hmac-SHA256"], encoding: base64 },
  signed: "{body}",
  id: "header:x-shopify-webhook-id",
  type: "header:x-shopify-topic",
  metadata: { apiVersion: ["header:x-shopify-api-version", "header:shopify-api-version"] },
});

const newer = (headers: HeaderSource, name: string): string | undefined =>
  findHeader(headers, `x-${name}`) ?? findHeader(headers, name);

/**
 * Shopify: `X-Shopify-Hmac-SHA256: <base64>`, HMAC-SHA256 over the body. Topic, shop and ids stand in headers the
 * signature does not cover.
 */
export const shopify: Scheme = {
  ...scheme,
  read: (request, reading) =>
    after(scheme.read(request, reading), (claims) => {
      const id = newer(request.headers, "shopify-webhook-id");
      const type = newer(request.headers, "shopify-topic");
      return claims.map(
        (claim): Assertion => ({ ...claim, ...(id !== undefined && { id }), ...(type !== undefined && { type }) }),
      );
    }),
};

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom:
    "The app's client secret (Partner Dashboard, the app, API credentials); for webhooks made in a shop's admin the key shown below them.",
  confidence: "confirmed",
  source: "https://shopify.dev/docs/apps/build/webhooks/subscribe/https",
  notes: [
    "After a rotation deliveries can come signed with the old secret for an hour: give both.",
    "Newer deliveries have the same headers without `X-`; either is read.",
  ],
};
