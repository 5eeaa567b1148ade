import { definePlainScheme } from "../define-scheme.ts";
import type { Encoding } from "../encoding.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import type { KeyNotation } from "../keys/key.ts";
import { textSecret } from "../keys/secret.ts";
import type { SecretKey } from "../platform/contract.ts";
import { signedId } from "../repeat-rules.ts";
import { after } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const secret = textSecret("hmac-sha512");

/**
 * The text of the signature key, or the bytes that its hex digits encode: sources disagree about
 * which of them is the key.
 */
const key: KeyNotation = {
  ...secret,
  about: "the signature key, 128 hex digits",
  verifying: (text): SecretKey => {
    const asText = secret.verifying(text);
    const bytes = typeof text === "string" ? decodeHex(text) : undefined;
    if (!bytes?.length) return asText;
    const asBytes = secret.verifying(bytes);
    return {
      ...asText,
      holds: (signatures, content) =>
        after(asText.holds(signatures, content), (held) => held || asBytes.holds(signatures, content)),
    };
  },
};

const upperHex: Encoding = {
  name: "hex",
  decode: decodeHex,
  encode: (bytes) => encodeHex(bytes).toUpperCase(),
};

export const authorizeNet: Scheme = definePlainScheme({
  name: "authorize-net",
  title: "Authorize.Net",
  key,
  signature: { header: "X-ANET-Signature", encoding: upperHex, prefix: "sha512=" },
  signed: "{body}",
  id: "body:notificationId",
  type: "body:eventType",
  promises: { id: "promised", type: "promised" },
  data: "payload",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Account, Settings, API Credentials & Keys, Signature Key.",
  confidence: "second-hand",
  source: "https://developer.authorize.net/api/reference/features/webhooks.html",
  repeats: {
    source: "https://developer.authorize.net/api/reference/features/webhooks.html",
    confidence: "second-hand",
  },
  notes: ["Libraries disagree whether the key is its text or the bytes its hex digits stand for: both are tried."],
};
