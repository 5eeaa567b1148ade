import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const jira: Scheme = definePlainScheme({
  name: "jira",
  title: "Jira",
  headers: ["x-atlassian-webhook-flow", "x-atlassian-webhook-retry"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Hub-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "header:x-atlassian-webhook-identifier",
  type: "body:webhookEvent",
  promises: { id: "usual", type: "usual" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you set on the webhook (Settings, System, WebHooks).",
  confidence: "second-hand",
  source: "https://developer.atlassian.com/cloud/jira/platform/webhooks/",
  promises: {
    source: "https://confluence.atlassian.com/adminjiraserver/managing-webhooks-938846912.html",
    note: "A workflow's “trigger a webhook” has no `webhookEvent`. Jira Data Center need not send an id.",
  },
  repeats: {
    source: "https://developer.atlassian.com/cloud/jira/platform/webhooks/",
    confidence: "second-hand",
    note: "The id stays the same when Jira tries again.",
  },
  notes: ["Webhooks that an app registers are not signed so: they carry a JWT of the app."],
};
