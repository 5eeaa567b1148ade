import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { base64Secret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const microsoftTeams: Scheme = definePlainScheme({
  name: "microsoft-teams",
  title: "Microsoft Teams outgoing webhooks",
  key: base64Secret("hmac-sha256"),
  signature: { header: "Authorization", encoding: base64, prefix: "HMAC " },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The security token that Teams shows when the outgoing webhook is made.",
  confidence: "confirmed",
  source:
    "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook",
  repeats: {
    source:
      "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook",
    note: "The id is the message's. Teams does not try again.",
  },
  notes: ["Teams waits five seconds for the answer, and shows it in the channel."],
};
