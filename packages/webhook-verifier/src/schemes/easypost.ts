import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const secret = textSecret("hmac-sha256");

export const easypost: Scheme = definePlainScheme({
  name: "easypost",
  title: "EasyPost",
  credentials: ["header:x-hmac-signature-v2"],
  key: { ...secret, verifying: (key) => secret.verifying(typeof key === "string" ? key.normalize("NFKD") : key) },
  signature: { header: "X-Hmac-Signature", encoding: hex, prefix: "hmac-sha256-hex=" },
  signed: "{body}",
  id: "body:id",
  type: "body:description",
  promises: { id: "promised", type: "promised" },
  data: "result",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The `webhook_secret` you set on the webhook.",
  confidence: "confirmed",
  source: "https://github.com/EasyPost/easypost-node/blob/master/src/utils/util.js",
  repeats: { source: "https://docs.easypost.com/docs/events", confidence: "second-hand" },
  notes: ["The secret is normalised (NFKD) first, as in EasyPost's own libraries."],
};
