import { generateKeyPairSync, sign } from "node:crypto";

/** One value in DER: its type, its length, its content. */
const der = (type: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([type, ...length]), body]);
};

const sequence = (...content: readonly Uint8Array[]) => der(0x30, ...content);
const oid = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));
const text = (value: string) => der(0x0c, Buffer.from(value));
const utcTime = (value: string) => der(0x17, Buffer.from(value));

const commonName = oid(0x55, 0x04, 0x03);
const subjectAltName = oid(0x55, 0x1d, 0x11);
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

/** A fresh key and a certificate for 127.0.0.1 that it signed itself, as PEM. */
export const selfSigned = (name: string): { readonly cert: string; readonly key: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = sequence(der(0x31, sequence(commonName, text(name))));
  const names = sequence(der(0x87, Buffer.from([127, 0, 0, 1])));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    subject,
    sequence(utcTime("200101000000Z"), utcTime("491231235959Z")),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, names)))),
  );
  const signature = sign("sha256", content, privateKey);
  const certificate = sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  // A full last line must not be followed by an empty one.
  const lines = certificate.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
};
