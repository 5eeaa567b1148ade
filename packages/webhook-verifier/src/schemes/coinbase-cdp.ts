import { hook0Scheme } from "../hook0-scheme.ts";
import type { Scheme } from "../scheme.ts";

/** Coinbase Developer Platform webhooks, sent by way of Hook0: `X-Hook0-Signature: t=<seconds>,h=<names>,v1=<hex>`. */
export const coinbaseCdp: Scheme = hook0Scheme("coinbase-cdp", {
  title: "Coinbase CDP",
  keyFrom: "`metadata.secret` in the answer that made the webhook subscription.",
  confidence: "confirmed",
  source: "https://docs.cdp.coinbase.com/webhooks/verify-signatures",
});
