import { createSign, type KeyObject } from "node:crypto";

/** Makes X.509 certificates for tests. Any part can be made wrong. */
const der = (tag: number, ...bodies: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(bodies);
  const { length } = body;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), body]);
};

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const utcTime = (epochMs: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(epochMs).toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));
const name = (commonName: string): Buffer =>
  der(0x30, der(0x31, der(0x30, oid("550403"), der(0x0c, Buffer.from(commonName)))));

export interface CertificateWish {
  readonly subject: string;
  readonly issuer: string;
  readonly subjectKey: KeyObject;
  readonly issuerKey: KeyObject;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly authority?: boolean;
  /** Object identifiers of empty extensions, hex. */
  readonly marks?: readonly string[];
}

/** A certificate in DER, signed with SHA-256 by an RSA or P-256 key. */
export const certificate = (wish: CertificateWish): Buffer => {
  const isRsa = wish.issuerKey.asymmetricKeyType === "rsa";
  const algorithm = isRsa ? der(0x30, oid("2a864886f70d01010b"), der(0x05)) : der(0x30, oid("2a8648ce3d040302"));
  const extension = (id: string, value: Buffer): Buffer => der(0x30, oid(id), der(0x04, value));
  const extensions = [
    ...(wish.authority === true ? [extension("551d13", der(0x30, der(0x01, Buffer.from([0xff]))))] : []),
    ...(wish.marks ?? []).map((mark) => extension(mark, der(0x05))),
  ];
  const tbs = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name(wish.issuer),
    der(0x30, utcTime(wish.notBefore), utcTime(wish.notAfter)),
    name(wish.subject),
    wish.subjectKey.export({ format: "der", type: "spki" }),
    ...(extensions.length > 0 ? [der(0xa3, der(0x30, ...extensions))] : []),
  );
  const signature = createSign("sha256").update(tbs).sign(wish.issuerKey);
  return der(0x30, tbs, algorithm, der(0x03, Buffer.from([0]), signature));
};

export const certificatePem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replace(/(.{64})/g, "$1\n")}\n-----END CERTIFICATE-----\n`;
