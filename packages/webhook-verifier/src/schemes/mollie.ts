import { definePlainScheme } from "../define-scheme.ts";
import type { Encoding } from "../encoding.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/** Mollie's own libraries accept both spellings: with `sha256=` in front and without. */
const prefixedHex: Encoding = {
  name: "hex",
  decode: (text) => decodeHex(text.replace(/^sha256=/, "")),
  encode: (bytes) => `sha256=${encodeHex(bytes)}`,
};

export const mollie: Scheme = definePlainScheme({
  name: "mollie",
  title: "Mollie",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Mollie-Signature", encoding: prefixedHex },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Mollie dashboard or the Webhooks API, the webhook's signing secret.",
  confidence: "confirmed",
  source: "https://github.com/mollie/mollie-api-php/blob/master/src/Webhooks/SignatureValidator.php",
  repeats: { source: "https://docs.mollie.com/reference/webhooks-new", confidence: "second-hand" },
  notes: [
    "The older payment webhooks (`id=tr_…` as a form, per payment) are not signed: fetch the payment by its id instead of believing them.",
    "The code is also accepted without `sha256=`, as in Mollie's own libraries.",
  ],
};
