import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { hexSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const squarespace: Scheme = definePlainScheme({
  name: "squarespace",
  title: "Squarespace",
  key: hexSecret("hmac-sha256"),
  signature: { header: "Squarespace-Signature", encoding: hex },
  signed: "{body}",
  id: "body:id",
  type: "body:topic",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "The `secret` in the answer that made the webhook subscription, or rotated its secret.",
  confidence: "confirmed",
  source: "https://developers.squarespace.com/commerce-apis/webhooks/verifying-notifications",
  repeats: { source: "https://developers.squarespace.com/webhooks/overview" },
};
