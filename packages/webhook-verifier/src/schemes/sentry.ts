import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Sentry: `Sentry-Hook-Signature: <hex>`, HMAC-SHA256 over the body. Resource and request id stand
 * in headers the signature does not cover.
 */
export const sentry: Scheme = definePlainScheme({
  name: "sentry",
  title: "Sentry",
  key: textSecret("hmac-sha256"),
  signature: { header: "Sentry-Hook-Signature", encoding: hex },
  signed: "{body}",
  id: "header:request-id",
  type: ["header:sentry-hook-resource", "body:action"],
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The integration's client secret (Settings, Custom Integrations).",
  confidence: "confirmed",
  source:
    "https://github.com/getsentry/integration-platform-example/blob/main/backend-ts/src/api/middleware/verifySentrySignature.ts",
};
