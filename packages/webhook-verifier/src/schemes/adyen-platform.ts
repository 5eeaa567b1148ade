import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hexSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Adyen for platforms, management and balance webhooks: `HmacSignature: <base64>`, HMAC-SHA256 over
 * the body, key in hex.
 */
export const adyenPlatform: Scheme = definePlainScheme({
  name: "adyen-platform",
  title: "Adyen (platform, management)",
  key: hexSecret("hmac-sha256"),
  signature: { header: "HmacSignature", encoding: base64 },
  signed: "{body}",
  type: "body:type",
  data: "data",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "Customer Area, Developers, Webhooks, the webhook, HMAC key.",
  confidence: "confirmed",
  source: "https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures",
};
