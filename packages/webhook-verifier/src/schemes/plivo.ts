import { textOf } from "#platform";
import { encodeBase64 } from "../base64.ts";
import { commaList } from "../comma-list.ts";
import { readContent } from "../content.ts";
import { refuse } from "../errors.ts";
import { parseForm } from "../form.ts";
import { getHeader } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const [signatureName, nonceName] = ["x-plivo-signature-v3", "x-plivo-signature-v3-nonce"] as const;

/**
 * Names and values in order. A name with several values occurs once for each. `write` writes each
 * of them.
 */
const inOrder = (text: string, write: (name: string, value: string) => string): readonly string[] =>
  [...parseForm(text)]
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .flatMap(([name, values]) => [...values].sort().map((value) => write(name, value)));

/**
 * The signed content as Plivo's own libraries build it: URL with a sorted query, and the sorted
 * fields of a form.
 */
const contentOf = (method: string, url: string, body: Uint8Array, nonce: string): string => {
  const target = /^(https?:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url);
  if (target === null) return refuse("request_incomplete", "The signature covers the absolute URL.");
  const [, origin = "", path = "", search = ""] = target;
  const query = inOrder(search, (name, value) => `${name}=${value}`).join("&");
  const form = method === "GET" ? "" : (textOf(body) ?? refuse("body_malformed", "The form is not UTF-8."));
  const fields = inOrder(form, (name, value) => name + value).join("");
  const mark = query !== "" || fields !== "" ? "?" : "";
  const border = query !== "" && fields !== "" ? "." : "";
  return `${origin}${path}${mark}${query}${border}${fields}.${nonce}`;
};

export const plivo: Scheme = {
  name: "plivo",
  title: "Plivo",
  promises: { id: "absent", type: "absent" },
  methods: ["GET"],
  credentials: [
    "header:x-plivo-signature-v3",
    "header:x-plivo-signature-ma-v3",
    "header:x-plivo-signature-v2",
    "header:x-plivo-signature-ma-v2",
  ],
  key: textSecret("hmac-sha256"),
  covered: ["method", "url", "body", `header:${nonceName}`],
  repeats: [{ by: "signed-id", id: "header:x-plivo-signature-v3-nonce" }],
  queryIsPayload: true,
  parse: readContent,
  json: "usual",
  read: ({ method, url, headers, body }) => {
    if (method !== "GET" && method !== "POST")
      return refuse("request_incomplete", "The signature covers the method, GET or POST: give it.");
    const content = contentOf(
      method,
      url ?? refuse("request_incomplete", "The signature covers the URL: give it."),
      body,
      getHeader(headers, nonceName),
    );
    return [{ signatures: commaList(headers, signatureName), signed: [content] }];
  },
  sign: async ({ method, url, body, id }, [key]) => {
    const target = url ?? refuse("request_incomplete", "The signature covers the URL: give one.");
    const signature = encodeBase64(await key.sign([contentOf(method, target, body, id)]));
    return { headers: { [signatureName]: signature, [nonceName]: id } };
  },
};

export const facts: SchemeFacts = {
  headers: ["X-Plivo-Signature-V3", "X-Plivo-Signature-V3-Nonce"],
  signed: "{url} with its query sorted, then every form field as name and value, sorted, then `.` and the nonce",
  encoding: "base64",
  keyFrom: "Plivo console, the account's auth token.",
  confidence: "confirmed",
  source: "https://github.com/plivo/plivo-node/blob/master/lib/utils/v3Security.js",
  repeats: {
    source: "https://www.plivo.com/docs/voice/concepts/signature-validation",
    confidence: "second-hand",
    note: "The nonce is signed. Plivo does not say whether it stays when it tries again.",
  },
  notes: [
    "Borders between fields are not signed, as Plivo has it: believe no field whose name you do not know.",
    "A call or message id is no event id: every status carries the same one.",
  ],
};
