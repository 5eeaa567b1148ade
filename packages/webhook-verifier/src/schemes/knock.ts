import { base64 } from "../base64.ts";
import { defineScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/** Knock: `x-knock-signature: t=<milliseconds>,s=<base64>`, HMAC-SHA256 over `<t>.<body>`. */
export const knock: Scheme = defineScheme({
  name: "knock",
  facts: {
    title: "Knock",
    keyFrom: "Knock dashboard, Developers, Webhooks, the webhook's secret key.",
    confidence: "confirmed",
    source: "https://docs.knock.app/developer-tools/outbound-webhooks/overview",
  },
  key: textSecret("hmac-sha256"),
  signature: {
    header: "x-knock-signature",
    encoding: base64,
    pairs: { separator: ",", timestamp: "t", signature: "s" },
  },
  timestamp: { unit: "ms", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  type: "body:type",
});
