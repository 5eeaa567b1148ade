import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const helpScout: Scheme = definePlainScheme({
  name: "help-scout",
  title: "Help Scout",
  key: textSecret("hmac-sha1"),
  signature: { header: "X-HelpScout-Signature", encoding: base64 },
  signed: "{body}",
  type: "header:x-helpscout-event",
  promises: { id: "absent", type: "promised" },
  repeats: [{ by: "body", with: "header:x-helpscout-event", windowSeconds: 86_400 }],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret key you gave the webhook (Manage, Apps, Webhooks).",
  confidence: "confirmed",
  source: "https://developer.helpscout.com/webhooks",
  repeats: {
    source: "https://developer.helpscout.com/webhooks",
    note: "The object in the body says when it was last changed. One day is ours.",
  },
};
