import { getHeader, twice } from "../headers.ts";
import { encodeHex, hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { candidatesOf } from "../signature-header.ts";
import { parseTime } from "../timestamps.ts";

const header = "recurly-signature";

// Notifications have no id: `id` is that of the object.
export const recurly: Scheme = {
  name: "recurly",
  title: "Recurly",
  credentials: ["header:recurly-signature"],
  key: textSecret("hmac-sha256"),
  toleranceSeconds: 300,
  covered: ["timestamp", "body", "type"],
  type: ["body:object_type", "body:event_type"],
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(3 * day)],
  read: ({ headers, body }) => {
    const value = getHeader(headers, header);
    // Recurly writes no blanks. One shows that a proxy has joined two headers.
    if (value.includes(" ")) twice(header);
    const [written = "", ...signatures] = value.split(",");
    return [
      {
        signatures: candidatesOf(signatures, header, hex),
        signed: [`${written}.`, body],
        timestamp: parseTime(written, "ms"),
      },
    ];
  },
  sign: async ({ body, timestamp }, keys) => {
    const signatures = await Promise.all(keys.map((key) => key.sign([`${timestamp}.`, body])));
    return { headers: { [header]: [timestamp, ...signatures.map(encodeHex)].join(",") } };
  },
};

export const facts: SchemeFacts = {
  headers: [header],
  signed: "{timestamp}.{body}",
  encoding: "hex",
  keyFrom: "Recurly, Integrations, Webhooks, the endpoint's secret key.",
  confidence: "confirmed",
  source: "https://docs.recurly.com/recurly-subscriptions/docs/signature-verification",
  repeats: {
    source: "https://docs.recurly.com/recurly-subscriptions/docs/signature-verification",
    note: "A notification says when its event happened. Three days are ours.",
  },
  notes: ["Choose JSON for the endpoint: Recurly does not sign XML."],
};
