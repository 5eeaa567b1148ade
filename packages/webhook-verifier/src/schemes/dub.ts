import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const dub: Scheme = definePlainScheme({
  name: "dub",
  title: "Dub",
  key: textSecret("hmac-sha256"),
  signature: { header: "Dub-Signature", encoding: hex },
  signed: "{body}",
  id: "body:id",
  type: "body:event",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "Dub, the workspace, Settings, Webhooks, the webhook's signing secret.",
  confidence: "confirmed",
  source: "https://dub.co/docs/postbacks/verify-postback-requests",
  repeats: { source: "https://github.com/dubinc/dub/blob/main/apps/web/lib/webhook/schemas.ts" },
};
