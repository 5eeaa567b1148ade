import { base64 } from "../base64.ts";
import { definePairsScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Knock signs `<timestamp>.<body>` with HMAC-SHA256 and sends
 * `x-knock-signature: t=<milliseconds>,s=<base64>`. The time may be at most 300 s from now.
 * @see https://docs.knock.app/developer-tools/outbound-webhooks/overview
 */
export const knock: Scheme = definePairsScheme({
  name: "knock",
  title: "Knock",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "x-knock-signature",
    encoding: base64,
    pairs: { separator: ",", timestamp: "t", signature: "s" },
  },
  timestamp: { unit: "ms", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  type: "body:type",
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "Knock dashboard, Developers, Webhooks, the webhook's secret key.",
  confidence: "confirmed",
  source: "https://docs.knock.app/developer-tools/outbound-webhooks/overview",
};
