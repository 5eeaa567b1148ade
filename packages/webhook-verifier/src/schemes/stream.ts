import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const stream: Scheme = definePlainScheme({
  name: "stream",
  title: "Stream (GetStream)",
  headers: ["x-webhook-attempt"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Signature", encoding: hex },
  signed: "{body}",
  id: "header:x-webhook-id",
  type: "body:type",
  promises: { id: "usual", type: "usual" },
  repeats: [unsignedId()],
  codings: ["gzip"],
});

export const facts: SchemeFacts = {
  keyFrom: "Stream dashboard, the app, the API secret.",
  confidence: "confirmed",
  source: "https://github.com/GetStream/stream-chat-js/blob/master/src/signing.ts",
  promises: {
    source: "https://getstream.io/chat/docs/node/before_message_send_webhook/",
    note: "Hooks that Stream waits for, such as the one before a message is sent, name no type.",
  },
  repeats: {
    source: "https://getstream.io/chat/docs/node/webhooks_overview/",
    confidence: "second-hand",
    note: "`X-Webhook-Attempt` counts the attempts, which have the same id.",
  },
  notes: [
    "With compression switched on, the body comes in gzip and the signature covers the JSON. Postern's server unpacks it; elsewhere, unpack it before you verify it.",
  ],
};
