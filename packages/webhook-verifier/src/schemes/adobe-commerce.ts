import { jsonAnswer } from "../answers.ts";
import { base64, encodeBase64 } from "../base64.ts";
import { getHeader } from "../headers.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { candidatesOf } from "../signature-header.ts";

const header = "x-adobe-commerce-webhook-signature";

export const adobeCommerce: Scheme = {
  name: "adobe-commerce",
  title: "Adobe Commerce",
  promises: { id: "absent", type: "absent" },
  credentials: ["header:x-adobe-commerce-webhook-signature"],
  key: rsaPublicKey("rsa-sha256"),
  covered: ["body"],
  answer: jsonAnswer([{ op: "success" }]),
  repeats: [noRepeat],
  read: ({ headers, body }) => [
    { signatures: candidatesOf([getHeader(headers, header)], header, base64), signed: [encodeBase64(body)] },
  ],
  sign: async ({ body }, [key]) => {
    const signature = encodeBase64(await key.sign([encodeBase64(body)]));
    return { headers: { [header]: signature } };
  },
};

export const facts: SchemeFacts = {
  headers: [header],
  signed: "base64 of {body}",
  encoding: "base64",
  keyFrom: "Stores, Configuration, Adobe Services, Webhooks, Digital signature: the public key (PEM).",
  confidence: "confirmed",
  source: "https://developer.adobe.com/commerce/extensibility/webhooks/signature-verification/",
  repeats: {
    source: "https://developer.adobe.com/commerce/extensibility/webhooks/signature-verification/",
    why: "Commerce asks anew whenever the action happens, with the same body.",
  },
  notes: ["The answer says that the action may go on. To change it or to stop it, answer yourself."],
};
