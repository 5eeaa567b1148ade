import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * WorkOS signs `<timestamp>.<body>` with HMAC-SHA256 and sends
 * `WorkOS-Signature: t=<milliseconds>, v1=<hex>`. The time may be at most 180 s from now.
 * @see https://workos.com/docs/events/data-syncing/webhooks
 */
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

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "WorkOS Dashboard, Webhooks, the endpoint, Signing secret.",
  confidence: "confirmed",
  source: "https://workos.com/docs/events/data-syncing/webhooks",
  repeats: { source: "https://workos.com/docs/events/data-syncing/webhooks" },
};
