import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const launchdarkly: Scheme = definePlainScheme({
  name: "launchdarkly",
  title: "LaunchDarkly",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-LD-Signature", encoding: hex },
  signed: "{body}",
  id: "body:_id",
  type: "body:kind",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Organization settings, Integrations, the webhook's secret (Sign this webhook).",
  confidence: "confirmed",
  source: "https://launchdarkly.com/docs/home/infrastructure/webhooks",
  repeats: {
    source: "https://launchdarkly.com/docs/home/infrastructure/webhooks",
    note: "The id is that of the entry in the audit log.",
  },
};
