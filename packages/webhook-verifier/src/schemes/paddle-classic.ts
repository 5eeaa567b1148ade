import { textOf } from "#platform";
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { formObject, parseForm } from "../form.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { day, sameBody, signedId } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const field = "p_signature";

/** A text as PHP's `serialize` writes it; its length counts bytes. */
const serialized = (text: string): string => `s:${utf8(text).length}:"${text}";`;

const byCodeUnits = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : left > right ? 1 : 0;

/** Every field but the signature, sorted by name, as PHP's `serialize` writes an array of texts. */
const contentOf = (fields: ReadonlyMap<string, readonly string[]>): string => {
  const signed = [...fields].filter(([name]) => name !== field).sort(byCodeUnits);
  const members = signed.map(([name, values]) =>
    values.length === 1
      ? serialized(name) + serialized(values[0] ?? "")
      : refuse("body_malformed", `The form has ${name} more than once.`),
  );
  return `a:${members.length}:{${members.join("")}}`;
};

const fieldsOf = (body: Uint8Array): ReadonlyMap<string, readonly string[]> =>
  parseForm(textOf(body) ?? refuse("body_malformed", "The form is not UTF-8."));

export const paddleClassic: Scheme = {
  name: "paddle-classic",
  title: "Paddle Classic",
  credentials: [],
  key: rsaPublicKey("rsa-sha1"),
  covered: ["body", "id", "type"],
  id: "body:alert_id",
  type: "body:alert_name",
  promises: { id: "usual", type: "usual" },
  repeats: [signedId, sameBody(3 * day)],
  parse: (body) => formObject(textOf(body) ?? ""),
  read: ({ body }) => {
    const fields = fieldsOf(body);
    const [signature, ...more] = fields.get(field) ?? [];
    if (signature === undefined || more.length > 0)
      return refuse("signature_missing", `The form has no ${field}, or several.`);
    const bytes = decodeBase64(signature);
    if (!bytes?.length) return refuse("signature_malformed", `${field} is not base64.`);
    return [{ signatures: [{ bytes }], signed: [contentOf(fields)] }];
  },
  sign: async ({ body }, [key]) => {
    const signature = encodeBase64(await key.sign([contentOf(fieldsOf(body))]));
    return {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: utf8(`${textOf(body) ?? ""}&${field}=${encodeURIComponent(signature)}`),
    };
  },
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "every form field but `p_signature`, sorted, as PHP's `serialize` writes them",
  encoding: "base64",
  keyFrom: "Paddle Classic, Developer Tools, Public Key (PEM).",
  confidence: "second-hand",
  source: "https://developer.paddle.com/classic/webhook-reference/verifying-webhooks",
  promises: { note: "Fulfilment webhooks have neither." },
  repeats: {
    source: "https://developer.paddle.com/classic/webhook-reference/",
    confidence: "second-hand",
    note: "A fulfilment names its order and its time. Three days, for what has no id, are ours.",
  },
  notes: ["Paddle Billing signs otherwise: take `paddle` for it."],
};
