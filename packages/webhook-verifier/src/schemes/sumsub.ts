import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const sha256 = textSecret("hmac-sha256");
const sha512 = textSecret("hmac-sha512");

export const sumsub: Scheme = definePlainScheme({
  name: "sumsub",
  title: "Sumsub",
  key: {
    ...sha256,
    algorithms: ["hmac-sha256", "hmac-sha512"],
    verifying: (key, algorithm) => (algorithm === "hmac-sha512" ? sha512 : sha256).verifying(key),
  },
  signature: { header: "X-Payload-Digest", encoding: hex },
  signed: "{body}",
  type: "body:type",
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(2 * day)],
});

export const facts: SchemeFacts = {
  keyFrom: "Sumsub dashboard, Dev space, Webhooks, the webhook's secret key.",
  confidence: "confirmed",
  source:
    "https://github.com/SumSubstance/agent-skills/blob/main/skills/sumsub-integrate-websdk/references/lifecycle.md",
  repeats: {
    source: "https://docs.sumsub.com/docs/webhook-manager",
    note: "Sumsub tries for a day. Events say when they were made (`createdAtMs`), so that no two share a body.",
  },
  notes: [
    'Where the webhook signs with SHA-512, give the key as `{ key, algorithm: "hmac-sha512" }`.',
    "The header `X-Payload-Digest-Alg` is not read: the algorithm belongs to the key.",
  ],
};
