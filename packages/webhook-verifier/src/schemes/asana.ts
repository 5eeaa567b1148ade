import { emptyAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

/**
 * Asana signs the body with HMAC-SHA256 and sends `X-Hook-Signature: <hex>`. No time is signed. The
 * key comes in the handshake, in `X-Hook-Secret`: store it, then answer. Events have no id. This is
 * known from other libraries and guides; the sender's own documentation could not be read.
 * @see https://developers.asana.com/docs/webhooks-guide
 */
export const asana: Scheme = {
  keyFromHandshake: true,
  ...definePlainScheme({
    name: "asana",
    title: "Asana",
    key: textSecret("hmac-sha256"),
    signature: { header: "X-Hook-Signature", encoding: hex },
    signed: "{body}",
    settings: { acceptSecret: { about: "`yes` while a webhook is being made: only then a handshake is answered" } },
    items: (payload) => {
      const events = at(payload, "events");
      if (!Array.isArray(events)) return undefined;
      return events.map((event: unknown) => ({ type: asText(at(event, "action")), payload: event }));
    },
    handshake: ({ headers }, { settings }) => {
      const secret = findHeader(headers, "x-hook-secret");
      if (secret === undefined || settingOf(settings, "acceptSecret") !== "yes") return undefined;
      return { ...emptyAnswer(200, { "x-hook-secret": secret }), key: secret };
    },
  }),
};

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The `X-Hook-Secret` header of the handshake: store it when it comes.",
  confidence: "second-hand",
  source: "https://developers.asana.com/docs/webhooks-guide",
  handshake: "POST with `X-Hook-Secret`: the header is sent back",
  notes: [
    "Anyone can send a handshake. It is answered only while the setting `acceptSecret` is `yes`: keep the `key` of the answer before you send it, and build the verifier with it. Until then give it a source without any: `keys: { find: () => [] }`.",
  ],
};
