import { noRepeat, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { token } from "./token.ts";

export const awsEventbridge: Scheme = {
  ...token,
  name: "aws-eventbridge",
  title: "Amazon EventBridge API destinations",
  promises: { id: "usual", type: "usual" },
  id: "body:id",
  type: "body:detail-type",
  data: "detail",
  beside: ["version", "id", "detail-type", "source", "account", "time", "region", "resources"],
  repeats: [unsignedId(), noRepeat],
};

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "nothing: the secret itself is shown",
  encoding: "text",
  keyFrom:
    "You choose it: the value of the connection's API key. Set `header` to the name of the API key; for `Authorization` the value begins with `Bearer `.",
  confidence: "confirmed",
  source: "https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html",
  promises: { note: "A rule with an input transformer sends what its template says." },
  repeats: {
    source: "https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html",
    confidence: "second-hand",
    note: "An event keeps its `id`. EventBridge tries again for a day.",
    why: "A rule with an input transformer decides itself what the body holds.",
  },
  notes: [
    "For a connection with user and password take `basic-auth`. Tokens of an OAuth connection cannot be checked here.",
    "With an input transformer the body is of your own making: keep `id` and `detail-type` in it.",
  ],
};
