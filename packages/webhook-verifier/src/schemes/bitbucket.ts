import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const bitbucket: Scheme = definePlainScheme({
  name: "bitbucket",
  title: "Bitbucket",
  headers: ["x-hook-uuid"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Hub-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "header:x-request-uuid|x-request-id",
  type: "header:x-event-key",
  promises: { id: "promised", type: "promised" },
  metadata: { attempt: "header:x-attempt-number" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you set on the webhook (repository or workspace settings, Webhooks).",
  confidence: "confirmed",
  source: "https://www.atlassian.com/blog/bitbucket/enhanced-webhook-security",
  repeats: {
    source: "https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/",
    confidence: "second-hand",
    note: "`X-Attempt-Number` counts the attempts, which have the same id.",
  },
  notes: ["The request id is `X-Request-UUID` in Cloud and `X-Request-Id` in Data Center, which counts no attempts."],
};
