import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Stream Chat signs the body with HMAC-SHA256 and sends `X-Signature: <hex>`. No time is signed.
 * The signature does not cover the header `x-webhook-id` (id). The key is the app's API secret.
 * @see https://github.com/GetStream/stream-chat-js/blob/master/src/signing.ts
 */
export const stream: Scheme = definePlainScheme({
  name: "stream",
  title: "Stream (GetStream)",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Signature", encoding: hex },
  signed: "{body}",
  id: "header:x-webhook-id",
  type: "body:type",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "Stream dashboard, the app, the API secret.",
  confidence: "confirmed",
  source: "https://github.com/GetStream/stream-chat-js/blob/master/src/signing.ts",
  notes: ["Switch compression off, or unpack the body first: the signature covers the JSON."],
};
