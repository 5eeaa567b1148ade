import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const clickup: Scheme = definePlainScheme({
  name: "clickup",
  title: "ClickUp",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Signature", encoding: hex },
  signed: "{body}",
  type: "body:event",
  promises: { id: "absent", type: "usual" },
  repeats: [{ by: "signed-id", id: ["body:event", "body:history_items.0.id"] }, noRepeat],
});

export const facts: SchemeFacts = {
  keyFrom: "The `webhook.secret` in the answer to making the webhook.",
  confidence: "confirmed",
  source: "https://developer.clickup.com/docs/webhooksignature",
  repeats: {
    source: "https://developer.clickup.com/docs/webhooktaskpayloads",
    confidence: "second-hand",
    note: "One change can cause several events, which share the id of its entry in the history.",
    why: "Events about spaces, folders, goals and deleted tasks hold neither an id nor a time.",
  },
};
