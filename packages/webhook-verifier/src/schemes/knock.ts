import { base64 } from "../base64.ts";
import { definePairsScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

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
  promises: { id: "absent", type: "promised" },
  data: "data",
  repeats: [sameBody(3 * day)],
});

export const facts: SchemeFacts = {
  keyFrom: "Knock dashboard, Developers, Webhooks, the webhook's secret key.",
  confidence: "confirmed",
  source: "https://docs.knock.app/developer-tools/outbound-webhooks/overview",
  repeats: {
    source: "https://github.com/knocklabs/docs/blob/main/content/developer-tools/outbound-webhooks/overview.mdx",
    note: "The body holds the time of its event. Knock tries eight times, signed anew; three days are ours.",
  },
};
