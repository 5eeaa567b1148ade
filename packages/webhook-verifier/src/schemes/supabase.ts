import { jsonAnswer } from "../answers.ts";
import { rawHeader } from "../headers.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

const header = "webhook-signature";

const standard = standardWebhooksScheme({
  name: "supabase",
  prefix: "webhook",
  title: "Supabase Auth hooks",
  promisesType: "usual",
});

export const supabase: Scheme = {
  ...standard,
  answer: jsonAnswer({}),
  read: (request, reading) => {
    const value = rawHeader(request.headers, header);
    const entries = typeof value === "string" ? value.split(", ") : [];
    // An entry that occurs twice means that the header came twice and was joined on the way. The
    // reader of Standard Webhooks refuses it.
    if (entries.length < 2 || new Set(entries).size < entries.length) return standard.read(request, reading);
    const headers = {
      "webhook-id": rawHeader(request.headers, "webhook-id"),
      "webhook-timestamp": rawHeader(request.headers, "webhook-timestamp"),
      [header]: entries.join(" "),
    };
    return standard.read({ ...request, headers }, reading);
  },
};

export const facts: SchemeFacts = {
  keyFrom:
    "Supabase dashboard, Authentication, Hooks, the hook's secret; of `v1,whsec_…`, what stands behind the comma.",
  confidence: "confirmed",
  source: "https://github.com/supabase/auth/blob/master/internal/hooks/hookshttp/hookshttp.go",
  promises: { note: "Hooks carry no type." },
  repeats: {
    source: "https://github.com/supabase/auth/blob/master/internal/hooks/hookshttp/hookshttp.go",
    note: "Each attempt has an id of its own, because each wants an answer.",
  },
  notes: [
    "A hook without the answer it needs makes the user's sign-in fail: 200 with `Content-Type: application/json` and the changes as JSON, or 204. Unless your work returns an answer, `{}` is sent, which changes nothing. A custom access token hook must return its claims.",
    "Hooks carry no type: each has an address of its own.",
    "Database webhooks are not signed: put a secret into a header of theirs and take the scheme `token`.",
    "Several signatures are joined by a comma and a space, which Standard Webhooks does not allow.",
  ],
};
