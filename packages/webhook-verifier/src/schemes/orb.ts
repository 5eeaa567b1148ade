import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const orb: Scheme = definePairsScheme({
  name: "orb",
  title: "Orb",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Orb-Signature", encoding: hex, pairs: { separator: " ", signature: "v1" } },
  signed: "v1:{timestamp}:{body}",
  timestamp: { header: "X-Orb-Timestamp", unit: "iso-utc", toleranceSeconds: 300 },
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  data: "properties",
});

export const facts: SchemeFacts = {
  keyFrom: "Orb, Developers, Webhooks, the endpoint's signing secret.",
  confidence: "confirmed",
  source: "https://github.com/orbcorp/orb-node/blob/main/src/resources/webhooks.ts",
  repeats: { source: "https://github.com/orbcorp/orb-node/blob/main/tests/api-resources/webhooks.test.ts" },
};
