import { readContent } from "../content.ts";
import { googleIssuers, oidcScheme } from "../oidc-scheme.ts";
import { noRepeat, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const googleCloudScheduler: Scheme = oidcScheme({
  name: "google-cloud-scheduler",
  title: "Google Cloud Scheduler",
  promises: { id: "absent", type: "absent" },
  parse: readContent,
  json: "usual",
  methods: ["GET", "PUT"],
  headers: ["x-cloudscheduler*"],
  repeats: [unsignedId(["header:x-cloudscheduler-jobname", "header:x-cloudscheduler-scheduletime"]), noRepeat],
  issuers: googleIssuers,

  settings: {
    audience: { about: "the audience of the job's token (its URL unless you set one)", required: true },
    email: { about: "the job's service account", required: true },
  },
});

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT; not the body",
  encoding: "JWT (RS256)",
  keyFrom: '`jwks("https://www.googleapis.com/oauth2/v3/certs")`.',
  confidence: "second-hand",
  source: "https://cloud.google.com/scheduler/docs/http-target-auth",
  repeats: {
    source: "https://github.com/googleapis/googleapis/blob/master/google/cloud/scheduler/v1/target.proto",
    note: "Job and scheduled time together name a run.",
    why: "A job has the same body at each run.",
  },
  notes: ["A token lives an hour and covers no body: TLS is what keeps deliveries apart."],
};
