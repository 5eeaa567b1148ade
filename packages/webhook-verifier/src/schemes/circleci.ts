import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * CircleCI: `circleci-signature: v1=<hex>[,v2=…]`, HMAC-SHA256 over the body. Only `v1` exists
 * today; other versions are passed over.
 */
export const circleci: Scheme = definePairsScheme({
  name: "circleci",
  title: "CircleCI",
  key: textSecret("hmac-sha256"),
  signature: { header: "circleci-signature", encoding: hex, pairs: { separator: ",", signature: "v1" } },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "Project settings, Webhooks, the webhook's secret token.",
  confidence: "confirmed",
  source: "https://circleci.com/docs/outbound-webhooks/",
};
