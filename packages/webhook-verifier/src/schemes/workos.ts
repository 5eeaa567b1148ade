import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const workos: Scheme = definePairsScheme({
  name: "workos",
  title: "WorkOS",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "WorkOS-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  signed: "{timestamp}.{body}",
  timestamp: { unit: "ms", toleranceSeconds: 180 },
  id: "body:id",
  type: "body:event",
  promises: { id: "promised", type: "promised" },
  data: "data",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "WorkOS Dashboard, Webhooks, the endpoint, Signing secret.",
  confidence: "confirmed",
  source: "https://workos.com/docs/events/data-syncing/webhooks",
  repeats: { source: "https://workos.com/docs/events/data-syncing/webhooks" },
};
