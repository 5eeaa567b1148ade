import { equal, hash, textOf } from "#platform";
import { queryOf } from "../answers.ts";
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { readContent } from "../content.ts";
import { refuse } from "../errors.ts";
import { parseForm } from "../form.ts";
import { findHeader, getHeader, type HeaderSource } from "../headers.ts";
import { encodeHex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat, unsignedId } from "../repeat-rules.ts";
import { URL, utf8 } from "../runtime.ts";
import type { Assertion, Scheme, SchemeFacts } from "../scheme.ts";

const isForm = (headers: HeaderSource): boolean =>
  findHeader(headers, "content-type")?.toLowerCase().startsWith("application/x-www-form-urlencoded") === true;

const byCodeUnits = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/**
 * Every field, sorted by name. The values of a name are sorted, and each counts once. Names and
 * values have no separator.
 */
const fieldsText = (body: Uint8Array): string => {
  const text = textOf(body) ?? refuse("body_malformed", "The form is not UTF-8.");
  return [...parseForm(text)]
    .sort(([left], [right]) => byCodeUnits(left, right))
    .map(([name, values]) =>
      values.length === 1
        ? `${name}${values[0]}`
        : [...new Set(values)]
            .sort(byCodeUnits)
            .map((value) => name + value)
            .join(""),
    )
    .join("");
};

/**
 * The spellings of the URL that Twilio's own SDKs try: without a port, with the default port, and
 * with an apostrophe in the query as itself or as `%27`.
 */
const spellings = (url: string): readonly string[] => {
  const match = /^(https?):\/\/([^/?#]*)(.*)$/s.exec(url);
  if (match === null) return refuse("request_incomplete", "The signature covers the absolute URL.");
  const [, scheme = "", authority = "", rest = ""] = match;
  const bare = authority.replace(/:\d+$/, "");
  const hosts = [authority, bare, `${bare}${scheme === "https" ? ":443" : ":80"}`];
  const rests = [rest, rest.replaceAll("'", "%27"), rest.replaceAll("%27", "'")];
  return [...new Set(hosts.flatMap((host) => rests.map((end) => `${scheme}://${host}${end}`)))];
};

export const twilio: Scheme = {
  name: "twilio",
  title: "Twilio",
  promises: { id: "usual", type: "absent" },
  methods: ["GET"],
  queryIsPayload: true,
  headers: ["i-twilio-idempotency-token"],
  credentials: ["header:x-twilio-signature"],
  key: textSecret("hmac-sha1"),
  covered: ["url", "body"],
  repeats: [unsignedId("header:i-twilio-idempotency-token"), noRepeat],
  parse: readContent,
  json: "usual",
  answer: { status: 200, headers: { "content-type": "text/xml" }, body: "<Response/>" },
  read: ({ headers, url, body }): readonly Assertion[] => {
    const bytes =
      decodeBase64(getHeader(headers, "x-twilio-signature")) ??
      refuse("signature_malformed", "The header X-Twilio-Signature is not base64.");
    const target = url ?? refuse("request_incomplete", "The signature covers the URL, and the request given has none.");
    // Parsing a URL costs more than all the rest, so it is done only if the text names the digest.
    const expected = target.includes("bodySHA256=") ? queryOf(target, "bodySHA256") : undefined;
    const fields = expected === undefined && (isForm(headers) || body.length > 0) ? fieldsText(body) : "";
    const confirm = async (): Promise<undefined> => {
      if (expected === undefined) return;
      const digest = encodeHex(await hash("sha256", [body]));
      if (!equal(utf8(digest), utf8(expected.toLowerCase())))
        refuse("digest_mismatch", "The body is not the one whose digest the signed URL carries.");
    };
    return [
      {
        signatures: [{ bytes }],
        signed: [target, fields],
        alternatives: () => spellings(target).map((spelling) => [spelling, fields]),
        confirm,
      },
    ];
  },
  sign: async ({ url, headers, body }, [key]) => {
    const target = url ?? refuse("request_incomplete", "The signature covers the URL: give one.");
    const form = isForm(headers);
    const digest = encodeHex(await hash("sha256", [body]));
    const signedUrl = form || body.length === 0 ? target : withQuery(target, digest);
    const signature = await key.sign([signedUrl, form ? fieldsText(body) : ""]);
    return {
      url: signedUrl,
      headers: { "x-twilio-signature": encodeBase64(signature) },
    };
  },
};

const withQuery = (url: string, digest: string): string => {
  const { search } = new URL(url);
  return `${url}${search === "" ? "?" : "&"}bodySHA256=${digest}`;
};

export const facts: SchemeFacts = {
  headers: ["X-Twilio-Signature"],
  signed: "{url}, then every form field as name and value, sorted; other bodies by `bodySHA256` in the URL",
  encoding: "base64",
  keyFrom: "Twilio Console, Account info, Auth Token (not an API key's secret).",
  confidence: "confirmed",
  source: "https://www.twilio.com/docs/usage/webhooks/webhooks-security",
  repeats: {
    source: "https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides",
    confidence: "second-hand",
    why: "A call that waits asks the same URL with the same fields again and again.",
    note: "Twilio sends the token with each webhook, and the same again when it tries again.",
  },
  notes: [
    "Twilio reads the answer as TwiML and notes an error if it is none. Receivers send `<Response/>`, which does nothing, unless your work returns an answer.",
    "A message or call SID is no event id: every status of a message carries the same one.",
    "The URL is the one Twilio called, query included; behind a proxy rebuild it or set `url`.",
    "For bodies other than forms the URL holds `bodySHA256`, which is compared with the body.",
  ],
};
