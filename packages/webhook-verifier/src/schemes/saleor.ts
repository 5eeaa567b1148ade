import { decodeBase64url, encodeBase64url } from "../base64.ts";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { jsonIn } from "../json.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { asText, at } from "../places.ts";
import { noRepeat } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const header = "saleor-signature";

export const saleor: Scheme = {
  name: "saleor",
  title: "Saleor",
  headers: ["saleor-api-url", "saleor-domain", "saleor-schema-version"],
  credentials: ["header:saleor-signature"],
  key: rsaPublicKey("rsa-sha256"),
  covered: ["body"],
  type: "header:saleor-event",
  promises: { id: "absent", type: "promised" },
  repeats: [noRepeat],
  read: ({ headers, body }) => {
    const [headerText = "", payload, signatureText = "", ...more] = getHeader(headers, header).split(".");
    const bytes = decodeBase64url(signatureText);
    const protectedHeader = jsonIn(decodeBase64url(headerText) ?? new Uint8Array());
    const crit = at(protectedHeader, "crit");
    if (payload !== "" || more.length > 0 || !bytes?.length || at(protectedHeader, "alg") !== "RS256")
      return refuse("signature_malformed", "The JWS is not detached, or not signed with RS256.");
    // `b64` is the only known extension. It counts only if the JWS says that a receiver must know
    // it.
    const plain = at(protectedHeader, "b64") === false;
    if (plain ? !(Array.isArray(crit) && crit.length === 1 && crit[0] === "b64") : crit !== undefined)
      return refuse("signature_malformed", "The JWS names an extension that is not known.");
    const keyId = asText(at(protectedHeader, "kid"));
    return [
      {
        signatures: [{ bytes }],
        signed: plain ? [`${headerText}.`, body] : [`${headerText}.${encodeBase64url(body)}`],
        ...(keyId !== undefined && { keyId }),
      },
    ];
  },
  sign: async ({ body, type }, [key]) => {
    const named = { alg: "RS256", typ: "JWT", b64: false, crit: ["b64"], ...(key.id !== undefined && { kid: key.id }) };
    const headerText = encodeBase64url(utf8(JSON.stringify(named)));
    const signature = encodeBase64url(await key.sign([`${headerText}.`, body]));
    return {
      headers: {
        ...(type !== undefined && { "saleor-event": type }),
        [header]: `${headerText}..${signature}`,
      },
    };
  },
};

export const facts: SchemeFacts = {
  headers: ["Saleor-Signature"],
  signed: "{body} as the payload of a detached JWS",
  encoding: "detached JWS (RS256)",
  keyFrom: '`jwks("https://<your store>/.well-known/jwks.json")`.',
  confidence: "confirmed",
  source: "https://docs.saleor.io/developer/extending/webhooks/payload-signature",
  repeats: {
    source: "https://github.com/saleor/saleor-docs/blob/main/docs/developer/extending/webhooks/asynchronous-events.mdx",
    why: "The webhook's query decides what the body holds, and nothing else names the event.",
  },
  notes: ["Webhooks with a `secretKey` of their own, which Saleor calls deprecated, sign differently."],
};
