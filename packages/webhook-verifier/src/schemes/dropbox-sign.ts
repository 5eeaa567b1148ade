import { textAnswer } from "../answers.ts";
import { contentReader, unproven } from "../content.ts";
import { refuse } from "../errors.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import { unprovenJson } from "../json.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { day, sameBody, unsignedId } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { formatTime, parseTime } from "../timestamps.ts";

/** The event: a form field, a part of a multipart body, or the body itself. */
const parse = contentReader(({ json }) => (typeof json === "string" ? unprovenJson(json) : undefined));

export const dropboxSign: Scheme = {
  name: "dropbox-sign",
  title: "Dropbox Sign",
  credentials: [],
  key: textSecret("hmac-sha256"),
  covered: ["timestamp", "type", "field:event.event_time"],
  type: "body:event.event_type",
  promises: { id: "absent", type: "promised" },
  repeats: [
    unsignedId([
      "body:event.event_hash",
      "body:signature_request.signature_request_id",
      "body:event.event_metadata.related_signature_id",
    ]),
    unsignedId(["body:event.event_hash", "body:signature_request.signature_request_id"]),
    sameBody(3 * day),
  ],
  parse,
  answer: textAnswer("Hello API Event Received"),
  read: ({ headers, body }) => {
    const payload = unproven(parse, body, headers) ?? refuse("body_malformed", "The body holds no event.");
    const field = (name: string): string =>
      asText(at(payload, `event.${name}`)) ?? refuse("signature_missing", `The event has no ${name}.`);
    const [time, type] = [field("event_time"), field("event_type")];
    // Otherwise an attacker could move digits of the time into the type and back.
    if (!/^[a-z_]+$/.test(type)) refuse("body_malformed", "The type of the event is not written as Dropbox Sign does.");
    const bytes = decodeHex(field("event_hash")) ?? refuse("signature_malformed", "The hash of the event is not hex.");
    // Events of the same type in the same second have equal signed parts. Only the body
    // distinguishes them.
    return [{ signatures: [{ bytes }], signed: [time, type], digested: [body], timestamp: parseTime(time, "s") }];
  },
  sign: async ({ headers, body, timestamp }, [key]) => {
    const payload = unproven(parse, body, headers);
    // Only objects can be signed inside.
    const event = at(payload, "event") as Record<string, unknown> | undefined;
    const time = formatTime(timestamp, "s");
    const event_hash = encodeHex(await key.sign([time, asText(event?.event_type) ?? ""]));
    const signed = { ...(payload as Record<string, unknown>), event: { ...event, event_time: time, event_hash } };
    return {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: utf8(`json=${encodeURIComponent(JSON.stringify(signed))}`),
    };
  },
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "{field:event.event_time}{field:event.event_type}",
  encoding: "hex",
  keyFrom: "The API key of the account (Settings, API), or the app's for app callbacks.",
  confidence: "confirmed",
  source: "https://github.com/hellosign/dropbox-sign-node/blob/main/model/eventCallbackHelper.ts",
  repeats: {
    source: "https://developers.hellosign.com/docs/events/walkthrough/",
    confidence: "second-hand",
    note: "The hash stands for time and type of the event.",
    risk: "Only time and type are signed: somebody who has seen an event can send it again about another signature request.",
  },
  notes: [
    "Only time and type are authenticated, not the signature request: fetch that by its id, and keep the URL secret.",
    "Dropbox Sign tries again until the answer is 200 with the text `Hello API Event Received`, which receivers send.",
  ],
};
