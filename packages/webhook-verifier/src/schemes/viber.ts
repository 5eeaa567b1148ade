import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { parseLongIds } from "../long-ids.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

// A message keeps one token for everything that happens to it, and a broadcast for all of its users, so
// event and user count, too.
export const viber: Scheme = definePlainScheme({
  name: "viber",
  title: "Viber",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Viber-Content-Signature", encoding: hex },
  signed: "{body}",
  id: "body:message_token",
  type: "body:event",
  promises: { id: "promised", type: "promised" },
  repeats: [
    { by: "signed-id", id: ["body:event", "body:message_token", "body:user_id"] },
    { by: "signed-id", id: ["body:event", "body:message_token"] },
    sameBody(day),
  ],
  parse: parseLongIds("message_token"),
});

export const facts: SchemeFacts = {
  keyFrom: "The bot's authentication token (Viber Admin Panel, the bot, Edit info).",
  confidence: "confirmed",
  source: "https://github.com/Viber/viber-bot-python/blob/master/README.md",
  repeats: { source: "https://github.com/Viber/viber-bot-python/blob/master/README.md" },
  notes: [
    "A `message_token` of 16 digits or more is a text in the payload.",
    "While a webhook is being set, Viber calls it with the event `webhook` and expects 200; it is signed and delivered like any other.",
  ],
};
