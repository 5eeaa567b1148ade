import { readContent } from "../content.ts";
import { googleIssuers, oidcScheme } from "../oidc-scheme.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const googleCloudTasks: Scheme = oidcScheme({
  name: "google-cloud-tasks",
  title: "Google Cloud Tasks",
  promises: { id: "promised", type: "absent" },
  parse: readContent,
  json: "usual",
  methods: ["GET", "PUT"],
  headers: ["x-cloudtasks-*"],
  issuers: googleIssuers,
  id: "header:x-cloudtasks-taskname",
  repeats: [unsignedId(["header:x-cloudtasks-queuename", "header:x-cloudtasks-taskname"]), unsignedId()],
  settings: {
    audience: { about: "the audience of the task's token (its URL unless you set one)", required: true },
    email: { about: "the task's service account", required: true },
  },
});

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT; not the body",
  encoding: "JWT (RS256)",
  keyFrom: '`jwks("https://www.googleapis.com/oauth2/v3/certs")`.',
  confidence: "second-hand",
  source: "https://cloud.google.com/tasks/docs/creating-http-target-tasks#token",
  repeats: {
    source: "https://cloud.google.com/tasks/docs/creating-http-target-tasks",
    confidence: "second-hand",
    note: "Names of tasks are unique in their queue.",
  },
  notes: ["A token lives an hour and covers no body: TLS is what keeps deliveries apart."],
};
