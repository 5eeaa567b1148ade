import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const alchemy: Scheme = definePlainScheme({
  name: "alchemy",
  title: "Alchemy",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Alchemy-Signature", encoding: hex },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  data: "event",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Alchemy dashboard, Webhooks, the webhook's signing key.",
  confidence: "confirmed",
  source: "https://www.alchemy.com/docs/reference/notify-api-quickstart",
  repeats: { source: "https://www.alchemy.com/docs/reference/notify-api-quickstart" },
};
