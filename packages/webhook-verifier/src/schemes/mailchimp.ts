import { emptyAnswer } from "../answers.ts";
import { readContent } from "../content.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { shownAt } from "./token.ts";

export const mailchimp: Scheme = {
  name: "mailchimp",
  title: "Mailchimp Marketing",
  promises: { id: "absent", type: "promised" },
  key: textSecret("token"),
  covered: ["sender"],
  type: "body:type",
  repeats: [sameBody(2 * hour)],
  parse: readContent,
  settings: {
    query: { about: "the query parameter of the URL that shows the secret; `secret` unless set", credential: "query" },
  },
  handshakes: [{ by: "GET" }],
  handshake: ({ method }) => (method === "GET" ? emptyAnswer(200) : undefined),
  ...shownAt({ query: "secret" }),
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "nothing: the secret itself is shown, in the query",
  encoding: "text",
  keyFrom: "You choose it, and put it into the query of the webhook's URL: `?secret=…`.",
  confidence: "confirmed",
  source: "https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks/",
  handshake: "GET, when the webhook is saved: 200",
  repeats: {
    source: "https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks/",
    note: "A body says when its event happened (`fired_at`). Mailchimp tries again for 75 minutes; two hours are ours.",
  },
  notes: [
    "The fields keep their names, such as `data[email]` and `data[merges][EMAIL]`.",
    "Only the sender is known; use TLS, and do not let the URL reach a log.",
    "For Mailchimp Transactional take `mandrill`.",
  ],
};
