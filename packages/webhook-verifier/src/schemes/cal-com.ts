import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Cal.com signs the body with HMAC-SHA256 and sends `X-Cal-Signature-256: <hex>`. No time is
 * signed.
 * @see https://cal.com/docs/core-features/webhooks
 */
export const calCom: Scheme = definePlainScheme({
  name: "cal-com",
  title: "Cal.com",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Cal-Signature-256", encoding: hex },
  signed: "{body}",
  type: "body:triggerEvent",
  data: "payload",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook (Settings, Developer, Webhooks).",
  confidence: "confirmed",
  source: "https://cal.com/docs/core-features/webhooks",
  notes: ["A custom payload template is signed as it is sent, and may hold no event type."],
};
