import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const intercom: Scheme = definePlainScheme({
  name: "intercom",
  title: "Intercom",
  methods: ["HEAD"],
  credentials: ["header:x-hub-signature-256"],
  key: textSecret("hmac-sha1"),
  signature: { header: "X-Hub-Signature", encoding: hex, prefix: "sha1=" },
  signed: "{body}",
  id: "body:id",
  type: "body:topic",
  promises: { id: "usual", type: "promised" },
  data: "data",
  metadata: { attempt: "body:delivery_attempts" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The app's client secret (Developer Hub, the app, Basic information).",
  confidence: "second-hand",
  source: "https://developers.intercom.com/docs/webhooks/webhook-notifications",
  promises: { note: "A ping has no id." },
  handshake: "HEAD, when the URL is saved: 200",
  repeats: {
    source: "https://developers.intercom.com/docs/webhooks/webhook-notifications",
    confidence: "second-hand",
    note: "A ping has no id.",
  },
};
