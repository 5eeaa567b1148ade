import { decodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { jsonBody } from "../json.ts";
import { type Jws, numericDate, payloadOf, readJws, writeJws } from "../jws.ts";
import { type Certificate, isSignedBy, readCertificate } from "../keys/certificate.ts";
import type { KeyNotation } from "../keys/key.ts";
import { ecdsaDerPublicKey, ecdsaKeys } from "../keys/public.ts";
import { fromSpki } from "../keys/spki.ts";
import { asText, at } from "../places.ts";
import { signedId } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingsOf } from "../settings.ts";

/**
 * The extensions that Apple puts into App Store certificates (1.2.840.113635.100.6.11.1 on the
 * leaf, …100.6.2.1 on its issuer).
 */
const leafMark = "2a864886f76364060b01";
const issuerMark = "2a864886f76364060201";

/** Receivers give the root certificate, senders the private key of the leaf. */
const key: KeyNotation = {
  ...ecdsaDerPublicKey("ecdsa-p384-sha384-der", "ecdsa-p256-sha256-der"),
  about: "Apple's root certificate (Apple Root CA - G3) as PEM, DER or base64",
  signing: { prefix: "", algorithms: ["ecdsa-p256-sha256"] },
};

const jwsOf = (body: Uint8Array): Jws =>
  readJws(
    asText(at(jsonBody(body), "signedPayload")) ?? refuse("signature_missing", "The body has no signedPayload."),
    "ES256",
  );

/** Leaf and issuer. A root after them is not read, because the root that you gave counts. */
const chainOf = (header: unknown): readonly [Certificate, Certificate] => {
  const list = at(header, "x5c");
  if (!Array.isArray(list) || list.length < 2 || list.length > 3)
    return refuse("certificate_invalid", "The JWS does not hold a chain of two or three certificates.");
  const read = (text: unknown): Certificate => {
    try {
      return readCertificate(decodeBase64(asText(text) ?? "") ?? new Uint8Array());
    } catch (cause) {
      return refuse("certificate_invalid", "A certificate of the chain cannot be read.", cause);
    }
  };
  return [read(list[0]), read(list[1])];
};

/** Everything that makes the leaf trusted, once the root's signature on its issuer is valid. */
const checkLeaf = async (leaf: Certificate, issuer: Certificate, at: number): Promise<void> => {
  const invalid = (why: string): never => refuse("certificate_invalid", `The certificate chain does not hold: ${why}`);
  for (const { notBefore, notAfter } of [leaf, issuer])
    if (at < notBefore || at > notAfter) invalid("a certificate is expired or not yet valid.");
  if (!issuer.isAuthority || leaf.issuer !== issuer.subject) invalid("the leaf was issued by another.");
  if (!leaf.extensions.has(leafMark) || !issuer.extensions.has(issuerMark)) invalid("it is not one for the App Store.");
  if (!(await isSignedBy(leaf, issuer, ecdsaKeys).catch(() => false))) invalid("the leaf's signature is wrong.");
};

export const appleAppStore: Scheme = {
  name: "apple-app-store",
  title: "Apple App Store notifications V2",
  credentials: [],
  key,
  toleranceSeconds: 604_800,
  covered: ["body", "timestamp", "id", "type"],
  id: "body:notificationUUID",
  type: ["body:notificationType", "body:subtype"],
  promises: { id: "promised", type: "promised" },
  data: "data",
  metadata: { apiVersion: "body:version" },
  repeats: [signedId],
  settings: {
    chain: { about: "only for signing: the leaf's certificate and its issuer's, base64 of DER", list: true },
  },
  parse: (body) => payloadOf(jwsOf(body)),
  read: ({ body }, { now }) => {
    const jws = jwsOf(body);
    const [leaf, issuer] = chainOf(jws.header);
    const content = utf8(`${jws.headerText}.${jws.payloadText}`);
    return [
      {
        signatures: [{ bytes: issuer.signature }],
        signed: [issuer.tbs],
        digested: [content],
        confirm: async () => {
          await checkLeaf(leaf, issuer, now);
          const leafKey = fromSpki(leaf.spki, ["ecdsa-p256-sha256"], ecdsaKeys);
          if (!(await leafKey.holds([{ bytes: jws.signature }], [content])))
            refuse("signature_mismatch", "The JWS is not signed by its leaf certificate.");
          const signedDate = numericDate(payloadOf(jws), "signedDate");
          return { timestamp: (signedDate ?? refuse("timestamp_malformed", "The payload has no signedDate.")) / 1000 };
        },
      },
    ];
  },
  sign: async ({ body, settings }, [signer]) => {
    const x5c = settingsOf(settings, "chain");
    const signedPayload = await writeJws({ alg: "ES256", x5c }, body, signer);
    return { body: utf8(JSON.stringify({ signedPayload })) };
  },
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "the payload of the JWS in `signedPayload`",
  encoding: "JWS (ES256) with certificate chain",
  keyFrom: "Apple Root CA - G3, from https://www.apple.com/certificateauthority/.",
  confidence: "confirmed",
  source: "https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2",
  promises: {
    source: "https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload",
  },
  repeats: {
    source: "https://developer.apple.com/documentation/appstoreservernotifications/notificationuuid",
    confidence: "second-hand",
  },
  notes: [
    "Apple names no window. Its last retry comes six and a half days later; seven days are ours.",
    "Certificates are not asked about revocation.",
    "Signed transactions inside the payload are JWSs of their own; they came inside a verified one.",
    "The payload of a delivery is that of the JWS.",
  ],
};
