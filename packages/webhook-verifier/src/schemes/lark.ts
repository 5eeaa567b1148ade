import { equal } from "#platform";
import { jsonAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { hex } from "../hex.ts";
import { shortJson } from "../json.ts";
import { jsonBodiesOnly } from "../json-bodies-only.ts";
import { textSecret } from "../keys/secret.ts";
import { openLark } from "../lark-content.ts";
import { asText, at } from "../places.ts";
import { noRepeat, signedId } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

export { decryptLarkEvent } from "../lark-content.ts";

const timeHeader = "x-lark-request-timestamp";

const single = definePlainScheme({
  name: "lark",
  title: "Lark (Feishu)",
  // The encrypt key stands between nonce and body.
  key: textSecret("sha256-infix"),
  signature: { header: "X-Lark-Signature", encoding: hex },
  signed: "{timestamp}{header:x-lark-request-nonce}{body}",
  timestamp: { header: timeHeader, unit: "s", toleranceSeconds: 28_800 },
  id: "body:header.event_id|uuid",
  type: "body:header.event_type|event.type",
  promises: { id: "usual", type: "usual" },
  data: "event",
  repeats: [signedId, noRepeat],
  settings: { verificationToken: { about: "the app's Verification Token, for the handshake" } },
  handshakes: [{ by: "POST", type: "application/json" }],
  handshake: async ({ method, body }, { settings, mac }) => {
    const token = settingOf(settings, "verificationToken");
    const payload = method === "GET" || token === undefined ? undefined : shortJson(body);
    // The code over nothing is the SHA-256 of the encrypt key, which is the key of AES.
    const event = at(payload, "encrypt") === undefined ? payload : await openLark(payload, await mac([]));
    if (token === undefined || at(event, "type") !== "url_verification") return undefined;
    if (!equal(utf8(asText(at(event, "token")) ?? ""), utf8(token))) return undefined;
    return jsonAnswer({ challenge: asText(at(event, "challenge")) ?? "" });
  },
});

export const lark: Scheme = {
  ...jsonBodiesOnly({
    ...single,
    read: (request, reading) => {
      // Nothing stands between time and nonce. With more or fewer digits, their border would move.
      if (!/^\d{10}$/.test(getHeader(request.headers, timeHeader)))
        refuse("timestamp_malformed", `${timeHeader} has not ten digits.`);
      return single.read(request, reading);
    },
  }),
};

export const facts: SchemeFacts = {
  headers: ["X-Lark-Signature", "X-Lark-Request-Timestamp", "X-Lark-Request-Nonce"],
  signed: "{timestamp}{header:x-lark-request-nonce}{encrypt key}{body}",
  keyFrom: "Developer Console, the app, Events and callbacks, Encryption strategy, Encrypt Key.",
  confidence: "confirmed",
  source:
    "https://open.larkoffice.com/document/ukTMukTMukTM/uYDNxYjL2QTM24iN0EjN/event-subscription-configure-/encrypt-key-encryption-configuration-case",
  promises: { note: "An encrypted body shows neither." },
  repeats: {
    source:
      "https://open.larkoffice.com/document/ukTMukTMukTM/uYDNxYjL2QTM24iN0EjN/event-subscription-configure-/encrypt-key-encryption-configuration-case",
    note: "Lark keeps the id when it tries again.",
    why: "The id is encrypted, and every delivery is encrypted anew.",
  },
  handshake: "`url_verification`, plain or encrypted: the challenge as JSON, if the token is the setting's",
  notes: [
    "Without an Encrypt Key, Lark does not sign.",
    "`decryptLarkEvent(payload, encryptKey)` beside the scheme gives the event of a verified delivery.",
    "Lark names no window and tries again for seven hours; eight hours are ours, so that no retry is refused.",
    "A plain SHA-256 can be extended by somebody who saw one. The glue is never UTF-8, so bodies that are not UTF-8 JSON are refused.",
    "The body is encrypted, so id and type are seldom to be seen.",
  ],
};
