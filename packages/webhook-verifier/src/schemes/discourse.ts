import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Discourse: `X-Discourse-Event-Signature: sha256=<hex>`, HMAC-SHA256 over the body. Event and
 * event id stand in headers the signature does not cover.
 */
export const discourse: Scheme = definePlainScheme({
  name: "discourse",
  title: "Discourse",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Discourse-Event-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "header:x-discourse-event-id",
  type: "header:x-discourse-event",
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook (Admin, Advanced, Webhooks).",
  confidence: "confirmed",
  source: "https://github.com/discourse/discourse/blob/main/app/jobs/regular/emit_web_hook_event.rb",
};
