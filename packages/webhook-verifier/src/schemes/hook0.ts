import { hook0Scheme } from "../hook0-scheme.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Hook0 signs the time, the headers that `h` names, and the body with HMAC-SHA256 and sends
 * `X-Hook0-Signature: t=<seconds>,h=<names>,v1=<hex>`. The older `v0` covers time and body only,
 * and counts only if there is no `v1`. The time may be at most 300 s from now.
 * @see https://documentation.hook0.com/how-to-guides/secure-webhook-endpoints
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
  repeats: {
    source: "https://github.com/hook0/hook0/blob/master/documentation/explanation/webhook-delivery-guarantees.md",
  },
};
