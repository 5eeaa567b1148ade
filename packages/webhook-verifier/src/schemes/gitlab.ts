import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

/**
 * GitLab with a signing token: Standard Webhooks, HMAC-SHA256 over `<id>.<timestamp>.<body>`. For
 * the older secret token, which signs nothing, see `gitlab-token`.
 */
export const gitlab: Scheme = standardWebhooksScheme({
  name: "gitlab",
  prefix: "webhook",
  type: "body:object_kind|event_name",
  title: "GitLab (signing token)",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["webhook-id", "webhook-timestamp", "webhook-signature"],
  signed: "{id}.{timestamp}.{body}",
  encoding: "base64",
  keyFrom: "The signing token of the webhook (project or group settings, Webhooks).",
  confidence: "confirmed",
  source: "https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944",
  notes: [
    "`X-Gitlab-Event` is not covered; the type is the body's `object_kind`, or `event_name` where there is none (members, subgroups, projects).",
  ],
};
