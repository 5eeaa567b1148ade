import { emptyAnswer, textAnswer } from "../answers.ts";
import { contentReader, payloadField } from "../content.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { shortJson } from "../json.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { sameMessage, signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const slack: Scheme = definePlainScheme({
  name: "slack",
  title: "Slack",
  json: "usual",
  headers: ["x-slack-retry-reason"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Slack-Signature", encoding: hex, prefix: "v0=" },
  signed: "v0:{timestamp}:{body}",
  timestamp: { header: "X-Slack-Request-Timestamp", unit: "s", toleranceSeconds: 300 },
  id: "body:event_id",
  type: "body:event.type",
  promises: { id: "usual", type: "usual" },
  data: "event",
  metadata: { attempt: "header:x-slack-retry-num" },
  repeats: [signedId, sameMessage()],
  // Events are JSON, commands a form, interactivity a form with JSON inside.
  parse: contentReader(payloadField()),
  answer: emptyAnswer(200),
  handshakes: [{ by: "POST", type: "text/plain" }],
  handshake: async ({ body }, { verified }) => {
    if (at(shortJson(body), "type") !== "url_verification") return undefined;
    return textAnswer(asText(at(await verified(), "challenge")) ?? "");
  },
});

export const facts: SchemeFacts = {
  keyFrom: "api.slack.com/apps, the app, Basic Information, Signing Secret.",
  confidence: "confirmed",
  source: "https://docs.slack.dev/authentication/verifying-requests-from-slack",
  handshake: "`url_verification`: the challenge as text, after the signature check",
  promises: { note: "Commands and clicks have no event id." },
  repeats: {
    source: "https://docs.slack.dev/apis/events-api/",
    confidence: "second-hand",
    note: "Commands and clicks have no event id, and Slack sends them once.",
  },
  notes: [
    "Slack shows the body of an answer to a command, and closes a form only if the body is empty. Receivers send none, unless your work returns an answer.",
  ],
};
