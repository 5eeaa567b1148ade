import { readContent, unproven } from "../content.ts";
import { refuse } from "../errors.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import { jsonBody } from "../json.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { signedId } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { formatTime, parseTime } from "../timestamps.ts";

export const mailgun: Scheme = {
  name: "mailgun",
  title: "Mailgun",
  credentials: [],
  key: textSecret("hmac-sha256"),
  toleranceSeconds: 32_400,
  covered: ["timestamp", "id", "field:signature.token"],
  promises: { id: "promised", type: "usual" },
  type: "body:event-data.event|event",
  data: "event-data",
  repeats: [signedId],
  parse: readContent,
  read: ({ headers, body }) => {
    const payload = unproven(readContent, body, headers);
    // Routes and the older webhooks send forms, in which the three stand beside the rest.
    const isForm = typeof at(payload, "signature") === "string";
    const field = (name: string): string =>
      asText(at(payload, isForm ? name : `signature.${name}`)) ??
      refuse("signature_missing", `The body has no ${isForm ? "" : "signature."}${name}.`);
    const [timestamp, token, signature] = [field("timestamp"), field("token"), field("signature")];
    // Otherwise an attacker could move digits of the time into the token and back.
    if (!/^[0-9a-f]{50}$/.test(token)) refuse("body_malformed", "The token is not 50 hex digits.");
    const bytes = decodeHex(signature) ?? refuse("signature_malformed", "The signature is not hex.");
    return [
      {
        signatures: [{ bytes }],
        signed: [timestamp, token],
        timestamp: parseTime(timestamp, "s"),
        id: token,
        ...(isForm && { covered: ["timestamp", "id", "field:token"] as const }),
      },
    ];
  },
  sign: async ({ body, id, timestamp }, [key]) => {
    const written = formatTime(timestamp, "s");
    const token = /^[0-9a-f]{50}$/.test(id) ? id : encodeHex(utf8(id)).padEnd(50, "0").slice(0, 50);
    const signature = encodeHex(await key.sign([written, token]));
    // Only objects can be signed inside. `jsonBody` has refused everything that is not JSON.
    const payload = jsonBody(body) as Record<string, unknown>;
    return { body: utf8(JSON.stringify({ ...payload, signature: { timestamp: written, token, signature } })) };
  },
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "{field:signature.timestamp}{field:signature.token}",
  encoding: "hex",
  keyFrom: "Mailgun, Settings, API Security, HTTP webhook signing key.",
  confidence: "confirmed",
  source: "https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks",
  promises: { note: "Only events have an `event-data`." },
  repeats: {
    source: "https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks",
    note: "The id is the signed token, which Mailgun says to accept once. `event-data.id` is not signed.",
  },
  notes: [
    "Routes (`forward`, `store`) and legacy webhooks send a form, with attachments as multipart: they verify alike. Files are told by name, type and size; their bytes are in the body.",
    "Only time and token are authenticated, not the event: keep the URL secret, or ask Mailgun for mutual TLS.",
    "Mailgun names no window and retries for eight hours; nine hours are ours, so that no retry is refused.",
    "Answer 406 to stop its retries.",
  ],
};
