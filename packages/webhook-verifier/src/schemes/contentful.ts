import { readContent } from "../content.ts";
import { refuse } from "../errors.ts";
import { checkListed, getHeader, type HeaderSource } from "../headers.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Piece } from "../platform/contract.ts";
import { noRepeat, unsignedId } from "../repeat-rules.ts";
import type { Covered, Scheme, SchemeFacts } from "../scheme.ts";
import { parseTime } from "../timestamps.ts";

const [signatureName, listName, timeName] = [
  "x-contentful-signature",
  "x-contentful-signed-headers",
  "x-contentful-timestamp",
] as const;

/** Path and query as Contentful's own library writes them: both encoded once more. */
const targetOf = (url: string): string => {
  const target = /^[a-z]+:\/\/[^/?#]*([^?#]*)(?:\?([^#]*))?/i.exec(url);
  if (target === null) return refuse("request_incomplete", "The signature covers the absolute URL.");
  const [, path = "", query = ""] = target;
  try {
    return encodeURI((path || "/") + (query === "" ? "" : `?${encodeURIComponent(query)}`));
  } catch {
    return refuse("request_incomplete", "The URL is not one.");
  }
};

const signedOf = (
  [method, url]: readonly [method: string, url: string],
  names: readonly string[],
  headers: HeaderSource,
  body: Uint8Array,
): readonly Piece[] => [
  `${method}\n${targetOf(url)}\n${names.map((name) => `${name}:${getHeader(headers, name)}`).join(";")}\n`,
  body,
];

/**
 * The headers that are signed. Two of them always are. @throws WebhookVerificationError
 * `header_malformed`
 */
const signedNames = (headers: HeaderSource): readonly string[] => {
  const names = getHeader(headers, listName).split(",");
  const sorted = names.every(
    (name, index) => /^[a-z0-9-]+$/.test(name) && (index === 0 || (names[index - 1] ?? "") < name),
  );
  checkListed(names, listName);
  return sorted && names.includes(listName) && names.includes(timeName)
    ? names
    : refuse("header_malformed", `${listName} is not a sorted list with itself and the time in it.`);
};

export const contentful: Scheme = {
  name: "contentful",
  title: "Contentful",
  parse: readContent,
  json: "usual",
  methods: ["GET", "PUT"],
  headers: [
    "x-contentful-webhook-name",
    "x-contentful-event-datetime",
    "x-contentful-crn",
    "x-contentful-space-id",
    "x-contentful-environment-id",
    "x-contentful-user-id",
  ],
  credentials: ["header:x-contentful-signature"],
  key: textSecret("hmac-sha256"),
  toleranceSeconds: 30,
  covered: ["method", "url", "timestamp", "body"],
  id: "header:x-contentful-idempotency-key",
  type: "header:x-contentful-topic",
  promises: { id: "usual", type: "usual" },
  repeats: [
    { by: "signed-id", id: "header:x-contentful-idempotency-key" },
    unsignedId("header:x-contentful-idempotency-key"),
    noRepeat,
  ],
  read: ({ method, url, headers, body }) => {
    const bytes =
      decodeHex(getHeader(headers, signatureName)) ??
      refuse("signature_malformed", `The header ${signatureName} is not hex.`);
    const timestamp = parseTime(getHeader(headers, timeName), "ms");
    const names = signedNames(headers);
    const signed = signedOf(
      [
        method ?? refuse("request_incomplete", "The signature covers the method: give it."),
        url ?? refuse("request_incomplete", "The signature covers the URL: give it."),
      ],
      names,
      headers,
      body,
    );
    const covered: readonly Covered[] = [
      "method",
      "url",
      "timestamp",
      "body",
      ...names.flatMap((name) => (name === listName || name === timeName ? [] : [`header:${name}` as const])),
    ];
    return [{ signatures: [{ bytes }], signed, timestamp, covered }];
  },
  sign: async ({ method, url, headers, body, timestamp, type }, [key]) => {
    const target = url ?? refuse("request_incomplete", "The signature covers the URL: give one.");
    const named: Record<string, string> = { ...headers, ...(type !== undefined && { "x-contentful-topic": type }) };
    const names = [...Object.keys(named), listName, timeName].sort();
    const sent: Record<string, string> = { ...named, [listName]: names.join(","), [timeName]: String(timestamp) };
    const signature = encodeHex(await key.sign(signedOf([method, target], names, sent, body)));
    return { headers: { ...sent, [signatureName]: signature } };
  },
};

export const facts: SchemeFacts = {
  headers: [signatureName, listName, timeName],
  signed: "method, path, listed headers and body, a line each",
  encoding: "hex",
  keyFrom: "Settings, Webhooks, Settings: the signing secret of the space (64 characters).",
  confidence: "confirmed",
  source: "https://github.com/contentful/node-apps-toolkit/tree/main/src/requests",
  promises: { note: "Requests of an app's own code have neither the key nor a topic." },
  repeats: {
    source: "https://www.contentful.com/developers/docs/webhooks/webhook-overview/",
    confidence: "second-hand",
    note: "Contentful signs all of its headers.",
    why: "Requests without this key come from an app's own code, which decides what the body holds.",
  },
  notes: ["Of the URL, path and query are covered, not the host."],
};
