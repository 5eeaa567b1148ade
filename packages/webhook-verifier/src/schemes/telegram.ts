import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { plainText } from "../plain-text.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const telegram: Scheme = definePlainScheme({
  name: "telegram",
  title: "Telegram Bot API",
  promises: { id: "promised", type: "absent" },
  key: textSecret("token"),
  signature: { header: "X-Telegram-Bot-Api-Secret-Token", encoding: plainText },
  signed: "{body}",
  id: "body:update_id",
  repeats: [unsignedId()],
  covered: ["sender"],
});

export const facts: SchemeFacts = {
  keyFrom: "The `secret_token` you gave `setWebhook`.",
  confidence: "confirmed",
  source: "https://core.telegram.org/bots/api#setwebhook",
  repeats: { source: "https://core.telegram.org/bots/api#update" },
  notes: ["An update has no type: its kind is the name of its second field."],
};
