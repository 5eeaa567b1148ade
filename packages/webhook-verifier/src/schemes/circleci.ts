import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const circleci: Scheme = definePairsScheme({
  name: "circleci",
  title: "CircleCI",
  headers: ["circleci-event-type"],
  key: textSecret("hmac-sha256"),
  signature: { header: "circleci-signature", encoding: hex, pairs: { separator: ",", signature: "v1" } },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Project settings, Webhooks, the webhook's secret token.",
  confidence: "confirmed",
  source: "https://circleci.com/docs/outbound-webhooks/",
  repeats: { source: "https://circleci.com/docs/outbound-webhooks-reference/" },
  notes: ["Only `v1` exists today. Other versions are ignored."],
};
