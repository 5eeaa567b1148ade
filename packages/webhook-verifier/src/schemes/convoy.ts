import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Convoy and senders built on it, advanced signatures: `X-Convoy-Signature:
 * t=<seconds>,v1=<hex>[,v1=<hex>…]`, HMAC-SHA256 over `<t>,<body>`.
 */
export const convoy: Scheme = definePairsScheme({
  name: "convoy",
  title: "Convoy (advanced)",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "X-Convoy-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  signed: "{timestamp},{body}",
  timestamp: { unit: "s", toleranceSeconds: 300 },
  type: "body:event_type",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The endpoint's secret, from the sender.",
  confidence: "confirmed",
  source: "https://github.com/frain-dev/convoy/tree/main/pkg/signature",
  notes: [
    "Header name, hash and encoding can be set by the sender: make your own with `defineScheme` where they differ.",
  ],
};
