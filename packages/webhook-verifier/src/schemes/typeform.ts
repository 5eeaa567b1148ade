import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const typeform: Scheme = definePlainScheme({
  name: "typeform",
  title: "Typeform",
  key: textSecret("hmac-sha256"),
  signature: { header: "Typeform-Signature", encoding: base64, prefix: "sha256=" },
  signed: "{body}",
  id: "body:event_id",
  type: "body:event_type",
  promises: { id: "promised", type: "promised" },
  data: "form_response",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you set on the webhook (the form, Connect, Webhooks).",
  confidence: "second-hand",
  source: "https://www.typeform.com/developers/webhooks/secure-your-webhooks/",
  repeats: { source: "https://www.typeform.com/developers/webhooks/example-payload/", confidence: "second-hand" },
};
