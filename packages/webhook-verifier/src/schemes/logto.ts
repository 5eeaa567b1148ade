import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const logto: Scheme = definePlainScheme({
  name: "logto",
  title: "Logto",
  key: textSecret("hmac-sha256"),
  signature: { header: "Logto-Signature-Sha-256", encoding: hex },
  signed: "{body}",
  id: "header:logto-message-id",
  type: "body:event",
  promises: { id: "usual", type: "promised" },
  data: "data",
  repeats: [unsignedId(), sameBody(hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "Logto Console, Webhooks, the webhook's signing key.",
  confidence: "confirmed",
  source: "https://docs.logto.io/developers/webhooks/secure-webhooks",
  promises: { note: "The server that Logto publishes sends no id." },
  repeats: {
    source: "https://github.com/logto-io/logto/blob/master/packages/core/src/libraries/hook/utils.ts",
    note: "The server that Logto publishes sends no id. Its bodies hold the time of their event, and it tries three more times within seconds.",
  },
};
