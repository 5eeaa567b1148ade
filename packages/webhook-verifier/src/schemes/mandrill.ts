import { textOf } from "#platform";
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { parseForm } from "../form.ts";
import { getHeader } from "../headers.ts";
import { jsonText } from "../json.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { day, sameMessage } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/** All fields sorted by name; names and values are written without separators. */
const fieldsText = (body: Uint8Array): string => {
  const text = textOf(body) ?? refuse("body_malformed", "The form is not UTF-8.");
  const fields = [...parseForm(text)].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return fields
    .map(([name, values]) =>
      values.length === 1 ? `${name}${values[0]}` : refuse("body_malformed", `The form has ${name} more than once.`),
    )
    .join("");
};

export const mandrill: Scheme = {
  name: "mandrill",
  title: "Mandrill (Mailchimp Transactional)",
  promises: { id: "usual", type: "usual" },
  methods: ["HEAD"],
  credentials: ["header:x-mandrill-signature"],
  key: textSecret("hmac-sha1"),
  covered: ["url", "body"],
  repeats: [sameMessage(3 * day)],
  parse: (body) => jsonText(parseForm(textOf(body) ?? "").get("mandrill_events")?.[0] ?? ""),
  items: (payload) => {
    if (!Array.isArray(payload)) return undefined;
    return payload.map((event: unknown) => {
      // A message keeps one id for everything that happens to it. Kind and time must be added to
      // identify an event.
      const parts = ["_id", "event", "ts"].map((name) => asText(at(event, name)));
      return {
        id: parts.includes(undefined) ? undefined : parts.join(":"),
        type: asText(at(event, "event")) ?? asText(at(event, "type")),
        payload: event,
      };
    });
  },
  read: ({ headers, url, body }) => {
    const bytes =
      decodeBase64(getHeader(headers, "x-mandrill-signature")) ??
      refuse("signature_malformed", "The header X-Mandrill-Signature is not base64.");
    const target = url ?? refuse("request_incomplete", "The signature covers the URL: give it.");
    return [{ signatures: [{ bytes }], signed: [target, fieldsText(body)] }];
  },
  sign: async ({ url, body }, [key]) => {
    const target = url ?? refuse("request_incomplete", "The signature covers the URL: give one.");
    const signature = encodeBase64(await key.sign([target, fieldsText(body)]));
    return {
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-mandrill-signature": signature,
      },
    };
  },
};

export const facts: SchemeFacts = {
  headers: ["X-Mandrill-Signature"],
  signed: "{url}, then every form field as name and value, sorted",
  encoding: "base64",
  keyFrom: "Mandrill, Settings, Webhooks, the webhook's key.",
  confidence: "second-hand",
  source: "https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/",
  handshake: "HEAD: 200",
  repeats: {
    source: "https://mailchimp.com/developer/transactional/docs/webhooks/",
    confidence: "second-hand",
    note: "Events hold their time and the message's id. The time of retries is not documented; three days are ours.",
  },
  notes: ["The URL is the webhook's exactly as it was entered, query included."],
};
