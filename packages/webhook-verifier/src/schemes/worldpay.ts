import { getHeader, twice } from "../headers.ts";
import { encodeHex, hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { candidatesOf } from "../signature-header.ts";

const header = "event-signature";

/** A signature with its key and hash function. */
const entry = /^\d+\/SHA256\/(.+)$/;

export const worldpay: Scheme = {
  name: "worldpay",
  title: "Worldpay",
  credentials: ["header:event-signature"],
  key: textSecret("hmac-sha256"),
  covered: ["body", "id", "type"],
  id: "body:eventId",
  type: "body:eventDetails.type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  data: "eventDetails",
  read: ({ headers, body }) => {
    const entries = getHeader(headers, header).split(/, ?/);
    // Every secret signs once.
    if (new Set(entries).size < entries.length) twice(header);
    const signatures = entries.map((text) => entry.exec(text)?.[1] ?? "");
    return [{ signatures: candidatesOf(signatures, header, hex), signed: [body] }];
  },
  sign: async ({ body }, keys) => {
    const entries = await Promise.all(
      keys.map(async (key, at) => `${key.id ?? at + 1}/SHA256/${encodeHex(await key.sign([body]))}`),
    );
    return { headers: { [header]: entries.join(",") } };
  },
};

export const facts: SchemeFacts = {
  headers: ["Event-Signature"],
  signed: "{body}",
  encoding: "hex",
  keyFrom: "Ask your Worldpay Implementation Manager to enable the header and for the shared secret.",
  confidence: "confirmed",
  source: "https://docs.worldpay.com/access/products/events/signature",
  repeats: { source: "https://docs.worldpay.com/access/products/events" },
  notes: [
    "The key ids in the header are not compared: every signature is tried with every secret that you give.",
    "While a secret is rotated, there is a signature for each of the two.",
  ],
};
