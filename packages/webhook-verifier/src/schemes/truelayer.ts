import { encodeBase64url } from "../base64.ts";
import { concat } from "../bytes.ts";
import { refuse } from "../errors.ts";
import { checkListed, getHeader, type HeaderSource } from "../headers.ts";
import { readJws } from "../jws.ts";
import { ecdsaPublicKey } from "../keys/public.ts";
import { asText, at } from "../places.ts";
import { signedId } from "../repeat-rules.ts";
import { URL, utf8 } from "../runtime.ts";
import type { Assertion, Covered, Scheme, SchemeFacts } from "../scheme.ts";
import { formatTime, parseTime } from "../timestamps.ts";

const header = "tl-signature";
const timeHeader = "x-tl-webhook-timestamp";

/** The path of a URL, absolute or not, with its query. */
const pathOf = (url: string | undefined): string => {
  if (url === undefined) return refuse("request_incomplete", "The signature covers the path: give the url.");
  try {
    const { pathname, search } = new URL(url, "https://localhost");
    return `${pathname}${search}`;
  } catch {
    return refuse("request_incomplete", "The signature covers the path, and the url cannot be read.");
  }
};

const contentOf = (
  [method, path]: readonly [method: string, path: string],
  names: readonly string[],
  headers: HeaderSource,
  body: Uint8Array,
): Uint8Array => {
  const lines = names.map((name) => `${name}: ${getHeader(headers, name.toLowerCase())}\n`).join("");
  return concat([utf8(`${method.toUpperCase()} ${path}\n${lines}`), body]);
};

const namesOf = (listed: string | undefined): readonly string[] => {
  const names = (listed ?? "").split(",").filter((name) => name !== "");
  if (!names.every((name) => /^[A-Za-z0-9-]+$/.test(name)))
    refuse("signature_malformed", "The JWS lists headers that are none.");
  return names;
};

export const truelayer: Scheme = {
  name: "truelayer",
  title: "TrueLayer",
  credentials: ["header:tl-signature"],
  key: ecdsaPublicKey("ecdsa-p521-sha512"),
  toleranceSeconds: 300,
  covered: ["method", "url", "body", "timestamp", "id", "type"],
  id: "body:event_id",
  type: ["body:type"],
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  read: ({ headers, method, url, body }): readonly Assertion[] => {
    const jws = readJws(getHeader(headers, header), "ES512");
    if (jws.payloadText !== "" || at(jws.header, "tl_version") !== "2")
      refuse("signature_malformed", "The JWS is not a detached one of version 2.");
    const names = namesOf(asText(at(jws.header, "tl_headers")));
    const lower = names.map((name) => name.toLowerCase());
    checkListed(lower, header);
    if (!lower.includes(timeHeader)) refuse("claim_mismatch", "The signature does not cover X-TL-Webhook-Timestamp.");
    const path = pathOf(url);
    const otherPath = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
    const verb = method ?? refuse("request_incomplete", "The signature covers the method, and the request has none.");
    const signed = (spelling: string): string =>
      `${jws.headerText}.${encodeBase64url(contentOf([verb, spelling], names, headers, body))}`;
    const covered: Covered[] = ["method", "url", "body", "timestamp", "id", "type"];
    for (const name of lower) covered.push(`header:${name}`);
    return [
      {
        signatures: [{ bytes: jws.signature }],
        signed: [signed(path)],
        alternatives: () => (otherPath === "" ? [] : [[signed(otherPath)]]),
        timestamp: parseTime(getHeader(headers, timeHeader), "iso"),
        covered,
        ...(jws.keyId !== undefined && { keyId: jws.keyId }),
      },
    ];
  },
  sign: async ({ method, url, headers, body, timestamp }, [key]) => {
    const sent = { ...headers, [timeHeader]: formatTime(timestamp, "iso") };
    const names = [timeHeader];
    const jose = {
      alg: "ES512",
      ...(key.id !== undefined && { kid: key.id }),
      tl_version: "2",
      tl_headers: names.join(","),
    };
    const headerText = encodeBase64url(utf8(JSON.stringify(jose)));
    const content = contentOf([method, pathOf(url)], names, sent, body);
    const signature = await key.sign([`${headerText}.${encodeBase64url(content)}`]);
    return { headers: { ...sent, [header]: `${headerText}..${encodeBase64url(signature)}` } };
  },
};

export const facts: SchemeFacts = {
  headers: ["Tl-Signature", "X-TL-Webhook-Timestamp"],
  signed: "{method} {path}, a line for every header the JWS lists, {body}",
  encoding: "detached JWS (ES512)",
  keyFrom: '`jwks("https://webhooks.truelayer.com/.well-known/jwks")`; sandbox: `webhooks.truelayer-sandbox.com`.',
  confidence: "confirmed",
  source: "https://github.com/TrueLayer/truelayer-signing",
  repeats: { source: "https://docs.truelayer.com/docs/payments-webhooks", confidence: "second-hand" },
  notes: [
    "TrueLayer leaves the window to the receiver; five minutes is ours.",
    "The path is accepted with and without a slash at its end, as TrueLayer's own library does.",
    "A key address in the message (`jku`) is never followed.",
  ],
};
