import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { plainText } from "../plain-text.ts";
import { noRepeat, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const gitlabToken: Scheme = definePlainScheme({
  name: "gitlab-token",
  title: "GitLab (secret token)",
  headers: ["x-gitlab-instance", "x-gitlab-webhook-uuid"],
  credentials: ["header:webhook-signature"],
  key: textSecret("token"),
  signature: { header: "X-Gitlab-Token", encoding: plainText },
  signed: "{body}",
  id: "header:x-gitlab-event-uuid",
  type: "header:x-gitlab-event",
  promises: { id: "usual", type: "promised" },
  repeats: [unsignedId("header:idempotency-key"), noRepeat],
  covered: ["sender"],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret token you set on the webhook (project or group settings, Webhooks).",
  confidence: "confirmed",
  source: "https://docs.gitlab.com/user/project/integrations/webhooks/",
  promises: { note: "Older versions of GitLab send no UUID." },
  repeats: {
    source: "https://docs.gitlab.com/user/project/integrations/webhooks/",
    why: "Before GitLab 17.4 no id was the delivery's own: webhooks that cause others share `X-Gitlab-Event-UUID` with them.",
  },
  notes: [
    "Only the sender is known; use TLS, and do not let the token reach a log.",
    "Prefer a signing token and the scheme `gitlab`.",
  ],
};
