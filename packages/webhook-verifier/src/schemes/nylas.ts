import { queryOf, textAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const nylas: Scheme = definePlainScheme({
  name: "nylas",
  title: "Nylas",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Nylas-Signature", encoding: hex },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  data: "data",
  metadata: { attempt: "body:webhook_delivery_attempt" },
  repeats: [signedId],
  handshakes: [{ by: "GET", type: "text/plain" }],
  handshake: ({ method, url }) => {
    const challenge = method === "GET" ? queryOf(url, "challenge") : undefined;
    return challenge === undefined ? undefined : textAnswer(challenge);
  },
});

export const facts: SchemeFacts = {
  keyFrom: "The `webhook_secret` in the answer to making the webhook.",
  confidence: "second-hand",
  source: "https://developer.nylas.com/docs/v3/notifications/",
  handshake: "GET `challenge`: the challenge as text",
  repeats: {
    source: "https://developer.nylas.com/docs/v3/notifications/",
    confidence: "second-hand",
    note: "`webhook_delivery_attempt` counts the attempts, which have the same id.",
  },
};
