import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const doppler: Scheme = definePlainScheme({
  name: "doppler",
  title: "Doppler",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Doppler-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  type: "body:type",
  promises: { id: "absent", type: "usual" },
  repeats: [noRepeat],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook.",
  confidence: "second-hand",
  source: "https://docs.doppler.com/docs/webhooks",
  promises: { note: "A payload of your own decides what the body holds." },
  repeats: {
    source: "https://docs.doppler.com/docs/webhooks",
    confidence: "second-hand",
    why: "A body says what changed, and the next change of it has the same body.",
  },
};
