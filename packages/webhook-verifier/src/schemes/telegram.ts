import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { plainText } from "../plain-text.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Telegram bots do not sign: `X-Telegram-Bot-Api-Secret-Token` shows the secret that you set.
 * **Nothing of the request is authenticated.**
 * @see https://core.telegram.org/bots/api#setwebhook
 */
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

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The `secret_token` you gave `setWebhook`.",
  confidence: "confirmed",
  source: "https://core.telegram.org/bots/api#setwebhook",
  repeats: { source: "https://core.telegram.org/bots/api#update" },
  notes: ["An update has no type: its kind is the name of its second field."],
};
