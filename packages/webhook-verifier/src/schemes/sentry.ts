import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * Sentry: `Sentry-Hook-Signature: <hex>`, HMAC-SHA256 over the body. Resource and request id stand in headers the
 * signature does not cover. Known from other libraries and guides; the sender's own documentation could not be read.
 */
export const sentry: Scheme = defineScheme({
  name: "sentry",
  facts: {
    title: "Sentry",
    keyFrom: "The integration's client secret (Settings, Custom Integrations).",
    confidence: "second-hand",
    source: "https://docs.sentry.io/organization/integrations/integration-platform/webhooks/",
  },
  key: textSecret("hmac-sha256"),
  signature: { header: "Sentry-Hook-Signature", encoding: hex },
  signed: "{body}",
  id: "header:request-id",
  type: ["header:sentry-hook-resource", "body:action"],
});
