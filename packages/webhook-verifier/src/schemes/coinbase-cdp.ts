import { hook0Scheme } from "../hook0-scheme.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Coinbase Developer Platform sends its webhooks through Hook0 and signs like `hook0`:
 * `X-Hook0-Signature: t=<seconds>,h=<names>,v1=<hex>`. The time may be at most 300 s from now.
 * @see https://docs.cdp.coinbase.com/webhooks/verify-signatures
 */
export const coinbaseCdp: Scheme = hook0Scheme("coinbase-cdp", "Coinbase CDP");

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["X-Hook0-Signature"],
  signed: "v1: {timestamp}.{names of the headers in h}.{their values}.{body}; v0: {timestamp}.{body}",
  encoding: "hex",
  keyFrom: "`metadata.secret` in the answer that made the webhook subscription.",
  confidence: "confirmed",
  source: "https://docs.cdp.coinbase.com/webhooks/verify-signatures",
  repeats: { source: "https://docs.cdp.coinbase.com/webhooks/verify-signatures" },
};
