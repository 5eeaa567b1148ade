import { emptyAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { hex } from "../hex.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

export const asana: Scheme = definePlainScheme({
  name: "asana",
  title: "Asana",
  promises: { id: "absent", type: "usual" },
  credentials: ["header:x-hook-secret"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Hook-Signature", encoding: hex },
  signed: "{body}",
  repeats: [sameBody(25 * hour)],
  settings: { acceptSecret: { about: "`yes` while a webhook is being made: only then a handshake is answered" } },
  items: itemsAt("events", { type: "action" }),
  keyComes: "handshake",
  handshakes: [{ by: "POST" }],
  handshake: ({ headers }, { settings }) => {
    const secret = findHeader(headers, "x-hook-secret");
    if (secret === undefined || settingOf(settings, "acceptSecret") !== "yes") return undefined;
    return { ...emptyAnswer(200, { "x-hook-secret": secret }), key: secret };
  },
});

export const facts: SchemeFacts = {
  keyFrom: "The `X-Hook-Secret` header of the handshake: store it when it comes.",
  confidence: "confirmed",
  source: "https://developers.asana.com/docs/webhooks-guide",
  handshake: "POST with `X-Hook-Secret`: the header is sent back",
  promises: { note: "Heartbeats hold no events." },
  repeats: {
    source: "https://developers.asana.com/docs/webhooks-guide",
    note: "Events hold their time. Asana tries again for a day. Heartbeats have the same body each time, and hold no events.",
  },
  notes: [
    "Anyone can send a handshake. It is answered only while the setting `acceptSecret` is `yes`: keep the `key` of the answer before you send it, and build the verifier with it. Until then make it with `keys: []`.",
  ],
};
