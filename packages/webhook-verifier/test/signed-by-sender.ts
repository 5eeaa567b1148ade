import { type Keys, type Scheme, type SignedRequest, type SignInput, signRequest } from "../src/index.ts";
import { vectors } from "./vectors/index.ts";
import { now, p256, pem, rsa, spki64 } from "./vectors/vector.ts";

/** Senders whose vectors are their own examples, so that only they have the key that signs. */
const ownPairs: Readonly<
  Record<string, { readonly signing: Partial<SignInput> & Pick<SignInput, "keys">; readonly keys: Keys }>
> = {
  bridge: { signing: { keys: pem(rsa.privateKey) }, keys: pem(rsa.publicKey) },
  sendgrid: { signing: { keys: pem(p256.privateKey) }, keys: spki64(p256.publicKey) },
};

/** Signs the delivery of a scheme's vector, with changes, as its sender would. */
export const signerOf = (scheme: Scheme) => {
  const vector = vectors[scheme.name];
  const pair = ownPairs[scheme.name];
  const again = pair?.signing ?? vector?.resigning ?? vector?.signing;
  if (vector === undefined || again === undefined) throw new TypeError(`Nothing can sign as ${scheme.name} does.`);
  const { settings, allowShort, now: at = now } = vector;
  const { method, url } = vector.request;
  const { body = vector.request.body, headers = {} }: Partial<SignInput> = again;
  return {
    at,
    headers,
    text: Buffer.from(body).toString(),
    /** For a verifier. */
    options: {
      keys: pair?.keys ?? vector.keys,
      ...(settings && { settings }),
      ...(allowShort && { allowShort }),
    },
    signed: (change: Partial<SignInput> = {}, later = 0): Promise<SignedRequest> =>
      signRequest(scheme, {
        ...(method && { method }),
        ...(url && { url }),
        body,
        ...again,
        timestamp: at + later,
        ...(settings && { settings }),
        ...change,
      }),
  };
};
