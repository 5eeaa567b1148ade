import { emptyAnswer } from "../answers.ts";
import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { at } from "../places.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const xero: Scheme = definePlainScheme({
  name: "xero",
  title: "Xero",
  promises: { id: "absent", type: "usual" },
  key: textSecret("hmac-sha256"),
  signature: { header: "x-xero-signature", encoding: base64 },
  signed: "{body}",
  repeats: [sameBody(25 * hour, ["entropy"])],
  answer: emptyAnswer(200),
  items: itemsAt("events", { type: ["eventCategory", "eventType"] }),
  handshakes: [{ by: "POST" }],
  handshake: async (request, { verified }) => {
    if (request.method === "GET") return undefined;
    const events = at(await verified(), "events");
    return Array.isArray(events) && events.length === 0 ? emptyAnswer(200) : undefined;
  },
});

export const facts: SchemeFacts = {
  keyFrom: "developer.xero.com, the app, Webhooks, Webhooks key.",
  confidence: "confirmed",
  source: "https://developer.xero.com/documentation/webhooks/configuring-your-server",
  handshake: '"intent to receive": 200 or 401, empty body, by the signature',
  repeats: {
    source: "https://github.com/XeroAPI/Xero-OpenAPI/blob/master/xero-webhooks.yaml",
    note: "A body counts its events by sequence numbers. Xero tries again for a day.",
  },
  notes: [
    "Xero sends wrong signatures on purpose: answer 401 when `handshake` or `verify` refuses one. An answer, 200 or 401, must have neither a body nor cookies; receivers answer so.",
  ],
};
