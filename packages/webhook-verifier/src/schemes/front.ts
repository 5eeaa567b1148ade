import { jsonAnswer } from "../answers.ts";
import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody, signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const front: Scheme = definePlainScheme({
  name: "front",
  title: "Front",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Front-Signature", encoding: base64 },
  signed: "{timestamp}:{body}",
  timestamp: { header: "X-Front-Request-Timestamp", unit: "ms", toleranceSeconds: 300 },
  id: "body:payload.id",
  type: "body:type",
  promises: { id: "usual", type: "promised" },
  repeats: [signedId, sameBody(hour)],
  data: "payload",
  handshakes: [{ by: "POST", type: "application/json" }],
  handshake: async ({ headers }, { verified }) => {
    const challenge = findHeader(headers, "x-front-challenge");
    if (challenge === undefined) return undefined;
    await verified();
    return jsonAnswer({ challenge });
  },
});

export const facts: SchemeFacts = {
  keyFrom: "Front, Settings, Developers, the app, Basic information, the application's signing key.",
  confidence: "confirmed",
  source: "https://dev.frontapp.com/docs/application-webhooks",
  repeats: {
    source: "https://dev.frontapp.com/docs/application-webhooks",
    note: "Front tries three times at most. One hour, for what has no id, is ours.",
  },
  handshake: "POST with `X-Front-Challenge`: the challenge as JSON, after the signature check",
  notes: ["Webhooks of rules are signed in another way: use `front-rule`."],
};
