import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const discourse: Scheme = definePlainScheme({
  name: "discourse",
  title: "Discourse",
  headers: ["x-discourse-instance", "x-discourse-event-type"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Discourse-Event-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "header:x-discourse-event-id",
  type: "header:x-discourse-event",
  promises: { id: "promised", type: "usual" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook (Admin, Advanced, Webhooks).",
  confidence: "confirmed",
  source: "https://github.com/discourse/discourse/blob/main/app/jobs/regular/emit_web_hook_event.rb",
  promises: { note: "`X-Discourse-Event` is sent only where the event has a name." },
  repeats: {
    source: "https://github.com/discourse/discourse/blob/main/app/jobs/regular/emit_web_hook_event.rb",
    note: "Each attempt has an id of its own. Discourse tries again only after it got an answer other than 2xx.",
  },
};
