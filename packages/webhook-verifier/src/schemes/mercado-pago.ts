import { queryOf } from "../answers.ts";
import { refuse } from "../errors.ts";
import { findHeader, getHeader } from "../headers.ts";
import { encodeHex, hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody, unsignedId } from "../repeat-rules.ts";
import type { Covered, Scheme, SchemeFacts } from "../scheme.ts";
import { pairsReader } from "../signature-pairs.ts";
import { formatTime, parseTime } from "../timestamps.ts";

const readSignature = pairsReader({
  header: "x-signature",
  encoding: hex,
  pairs: { separator: ",", timestamp: "ts", signature: "v1" },
});

const manifestOf = (id: string | undefined, requestId: string | undefined, time: string): string =>
  [id && `id:${id};`, requestId && `request-id:${requestId};`, `ts:${time};`].filter(Boolean).join("");

export const mercadoPago: Scheme = {
  name: "mercado-pago",
  title: "Mercado Pago",
  headers: ["x-request-id"],
  credentials: ["header:x-signature"],
  key: textSecret("hmac-sha256"),
  covered: ["timestamp", "header:x-request-id", "field:data.id"],
  id: "body:id",
  type: ["body:type", "body:action"],
  promises: { id: "usual", type: "usual" },
  data: "data",
  metadata: { apiVersion: "body:api_version" },
  repeats: [unsignedId(), sameBody(5 * day)],
  read: ({ headers, url, body }) => {
    const { signatures, timestamp = "" } = readSignature(headers);
    const id = queryOf(url, "data.id");
    const requestId = findHeader(headers, "x-request-id");
    // With a semicolon, an attacker could move the borders between the parts.
    if (`${id ?? ""}${requestId ?? ""}`.includes(";")) refuse("header_malformed", "An id has a semicolon in it.");
    const covered: readonly Covered[] = [
      "timestamp",
      ...(requestId === undefined ? [] : (["header:x-request-id"] as const)),
      ...(id === undefined ? [] : (["field:data.id"] as const)),
    ];
    return [
      {
        signatures,
        signed: [manifestOf(id, requestId, timestamp)],
        // Ids with letters are signed in lower case, even if the URL has capitals.
        alternatives: () => [[manifestOf(id?.toLowerCase(), requestId, timestamp)]],
        digested: [manifestOf(id, requestId, timestamp), body],
        timestamp: parseTime(timestamp, timestamp.length > 11 ? "ms" : "s"),
        covered,
      },
    ];
  },
  sign: async ({ url, headers, timestamp, id }, [key]) => {
    const sent: Record<string, string> = { "x-request-id": id, ...headers };
    const time = formatTime(timestamp, "s");
    const signature = encodeHex(
      await key.sign([manifestOf(queryOf(url, "data.id")?.toLowerCase(), getHeader(sent, "x-request-id"), time)]),
    );
    return { headers: { ...sent, "x-signature": `ts=${time},v1=${signature}` } };
  },
};

export const facts: SchemeFacts = {
  headers: ["x-signature"],
  signed: "id:{query:data.id};request-id:{header:x-request-id};ts:{timestamp};",
  encoding: "hex",
  keyFrom: "Your integrations, the application, Webhooks, the secret signature.",
  confidence: "confirmed",
  source: "https://github.com/mercadopago/sdk-nodejs/blob/master/src/utils/webhook/index.ts",
  promises: { note: "Notifications of orders have no id." },
  repeats: {
    source: "https://www.mercadopago.com.br/developers/en/docs/your-integrations/notifications/webhooks",
    confidence: "second-hand",
    note: "The body's `id` is the notification's. The header's is another one for each attempt. Mercado Pago tries again for about four days.",
    risk: "The body is not signed: somebody who has seen a notification can send it again with another id.",
  },
  notes: [
    "Only `data.id`, request id and time are authenticated: fetch the payment by its id instead of believing the body.",
    "QR code notifications are not signed.",
  ],
};
