import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const frontRule: Scheme = definePlainScheme({
  name: "front-rule",
  title: "Front (rule webhooks)",
  key: textSecret("hmac-sha1"),
  signature: { header: "X-Front-Signature", encoding: base64 },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "usual", type: "usual" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Front, Settings, Developers, the API secret of the company.",
  confidence: "confirmed",
  source: "https://dev.frontapp.com/docs/rule-webhooks",
  repeats: {
    source: "https://dev.frontapp.com/docs/rule-webhooks",
    note: "Front does not try again. Two rules that act on one event count once.",
  },
};
