import { hook0Scheme } from "../hook0-scheme.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const coinbaseCdp: Scheme = hook0Scheme("coinbase-cdp", "Coinbase CDP");

export const facts: SchemeFacts = {
  headers: ["X-Hook0-Signature"],
  signed: "v1: {timestamp}.{names of the headers in h}.{their values}.{body}; v0: {timestamp}.{body}",
  encoding: "hex",
  keyFrom: "`metadata.secret` in the answer that made the webhook subscription.",
  confidence: "confirmed",
  source: "https://docs.cdp.coinbase.com/webhooks/verify-signatures",
  repeats: { source: "https://docs.cdp.coinbase.com/webhooks/verify-signatures" },
};
