import { hook0Scheme } from "../hook0-scheme.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Hook0: `X-Hook0-Signature: t=<seconds>,h=<names>,v1=<hex>`, HMAC-SHA256 over time, the named
 * headers and the body. The older `v0` covers time and body only and counts only where there is no
 * `v1`.
 */
export const hook0: Scheme = hook0Scheme("hook0", "Hook0");

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["X-Hook0-Signature"],
  signed: "v1: {timestamp}.{names of the headers in h}.{their values}.{body}; v0: {timestamp}.{body}",
  encoding: "hex",
  keyFrom: "The subscription's secret in the sender's Hook0 dashboard or API.",
  confidence: "confirmed",
  source: "https://documentation.hook0.com/how-to-guides/secure-webhook-endpoints",
};
