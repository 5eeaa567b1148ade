import { definePlainScheme } from "../define-scheme.ts";
import type { Encoding } from "../encoding.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/** Mollie's own libraries accept both spellings: with `sha256=` in front and without. */
const prefixedHex: Encoding = {
  name: "hex",
  decode: (text) => decodeHex(text.replace(/^sha256=/, "")),
  encode: (bytes) => `sha256=${encodeHex(bytes)}`,
};

/** Mollie event webhooks: `X-Mollie-Signature: sha256=<hex>`, HMAC-SHA256 over the body. */
export const mollie: Scheme = definePlainScheme({
  name: "mollie",
  title: "Mollie",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Mollie-Signature", encoding: prefixedHex },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "Mollie dashboard or the Webhooks API, the webhook's signing secret.",
  confidence: "confirmed",
  source: "https://github.com/mollie/mollie-api-php/blob/master/src/Webhooks/SignatureValidator.php",
  notes: [
    "The older payment webhooks (`id=tr_…` as a form, per payment) are not signed: fetch the payment by its id instead of believing them.",
  ],
};
