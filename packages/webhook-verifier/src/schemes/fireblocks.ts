import { encodeBase64url } from "../base64.ts";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { readJws, writeJws } from "../jws.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const header = "fireblocks-webhook-signature";

export const fireblocks: Scheme = {
  name: "fireblocks",
  title: "Fireblocks",
  credentials: ["header:fireblocks-webhook-signature", "header:fireblocks-signature"],
  key: rsaPublicKey("rsa-sha512"),
  covered: ["body", "id", "type"],
  id: "body:id",
  type: "body:eventType",
  promises: { id: "promised", type: "promised" },
  data: "data",
  repeats: [signedId],
  read: ({ headers, body }) => {
    const jws = readJws(getHeader(headers, header), "RS512");
    if (jws.payloadText !== "") refuse("signature_malformed", "The JWS is not detached.");
    return [
      {
        signatures: [{ bytes: jws.signature }],
        signed: [`${jws.headerText}.${encodeBase64url(body)}`],
        ...(jws.keyId !== undefined && { keyId: jws.keyId }),
      },
    ];
  },
  sign: async ({ body }, [key]) => {
    const [jose = "", , signature = ""] = (await writeJws({ alg: "RS512" }, body, key)).split(".");
    return { headers: { [header]: `${jose}..${signature}` } };
  },
};

export const facts: SchemeFacts = {
  headers: ["Fireblocks-Webhook-Signature"],
  signed: "{body} as the payload of a detached JWS",
  encoding: "detached JWS (RS512)",
  keyFrom: "`jwks(url)` with the address of your environment from Fireblocks' documentation (Validating webhooks).",
  confidence: "confirmed",
  source: "https://developers.fireblocks.com/reference/validating-webhooks",
  repeats: { source: "https://developers.fireblocks.com/reference/webhook-structures", confidence: "second-hand" },
  notes: ["The older `Fireblocks-Signature` is not read."],
};
