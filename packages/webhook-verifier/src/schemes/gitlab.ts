import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const gitlab: Scheme = standardWebhooksScheme({
  name: "gitlab",
  prefix: "webhook",
  type: "body:object_kind|event_name",
  promisesType: "usual",
  title: "GitLab (signing token)",
  headers: ["x-gitlab-event", "x-gitlab-event-uuid", "x-gitlab-instance", "x-gitlab-webhook-uuid"],
  credentials: ["header:x-gitlab-token"],
});

export const facts: SchemeFacts = {
  keyFrom: "The signing token of the webhook (project or group settings, Webhooks).",
  confidence: "confirmed",
  source: "https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944",
  promises: { note: "A custom webhook template decides what the body holds." },
  repeats: { source: "https://docs.gitlab.com/user/project/integrations/webhooks/" },
  notes: [
    "`X-Gitlab-Event` is not covered; the type is the body's `object_kind`, or `event_name` where there is none (members, subgroups, projects).",
    "For the older secret token, which signs nothing, take `gitlab-token`.",
  ],
};
