import { decodeBase64, decodeBase64url, decodeHex } from "../encoding.ts";
import type { Algorithm, KeyMaterial } from "../platform/contract.ts";
import { readCertificate } from "./certificate.ts";
import { readAll, readDer, tags, writeDer } from "./der.ts";
import { ed25519Private, ed25519Public } from "./ed25519.ts";
import { invalidKey, type KeyNotation, type KeyText } from "./key.ts";
import { readPem } from "./pem.ts";
import { fromJwk, fromPkcs8, fromSpki } from "./spki.ts";

const rsaIdentifier = writeDer(
  tags.sequence,
  Uint8Array.of(0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01),
  writeDer(tags.null),
);

/** Hex, base64 or base64url, whichever it can be; hex first, because hex digits are base64 digits as well. */
const binary = (text: string): Uint8Array | undefined =>
  (/^[0-9a-fA-F]+$/.test(text) ? decodeHex(text) : undefined) ??
  decodeBase64(text.replace(/\s+/g, "")) ??
  decodeBase64url(text);

const certificateKey = (der: Uint8Array): Uint8Array => {
  try {
    return readCertificate(der).spki;
  } catch (cause) {
    return invalidKey("its certificate cannot be read.", cause);
  }
};

const fromPem = (text: string, algorithms: readonly Algorithm[]): KeyMaterial => {
  const [block] = readPem(text);
  switch (block?.label) {
    case "PUBLIC KEY":
      return fromSpki(block.der, algorithms);
    case "CERTIFICATE":
      return fromSpki(certificateKey(block.der), algorithms);
    case "RSA PUBLIC KEY":
      return fromSpki(
        writeDer(tags.sequence, rsaIdentifier, writeDer(tags.bits, Uint8Array.of(0), block.der)),
        algorithms,
      );
    case "PRIVATE KEY":
      return invalidKey("it is a private key; a receiver needs the public one.");
    default:
      return invalidKey("its PEM text holds no public key or certificate.");
  }
};

/** A certificate begins with a sequence in which another begins whose first element is the version, `[0]`. */
const isCertificate = (bytes: Uint8Array): boolean => {
  try {
    return readAll(readDer(readDer(bytes).body).body)[0]?.tag === 0xa0;
  } catch {
    return false;
  }
};

const fromBytes = (bytes: Uint8Array, algorithms: readonly Algorithm[]): KeyMaterial =>
  bytes.length === 32 && algorithms.includes("ed25519")
    ? ed25519Public(bytes)
    : fromSpki(isCertificate(bytes) ? certificateKey(bytes) : bytes, algorithms);

/**
 * A public key, in any form senders show it: PEM (`PUBLIC KEY`, `CERTIFICATE`, `RSA PUBLIC KEY`), SPKI or X.509 in base64 or hex,
 * the 32 bytes of an Ed25519 key in hex, base64 or base64url, or a JWK. The sender's side: PEM `PRIVATE KEY` (PKCS #8),
 * its base64, a private JWK, or an Ed25519 seed. A key serves the first of `algorithms` that fits its kind.
 */
export const publicKey = (...algorithms: readonly [Algorithm, ...Algorithm[]]): KeyNotation => {
  const bound = (algorithm: Algorithm | undefined): readonly Algorithm[] =>
    algorithm === undefined
      ? algorithms
      : algorithms.includes(algorithm)
        ? [algorithm]
        : invalidKey(`${algorithm} is not used here.`);
  return {
    about: "a public key as PEM, SPKI or X.509, hex, base64 or JWK",
    algorithms,
    secret: false,
    verifying: (key: KeyText, algorithm?: Algorithm): KeyMaterial => {
      const usable = bound(algorithm);
      if (key instanceof Uint8Array) return fromBytes(key, usable);
      if (typeof key !== "string") return fromJwk(key, usable, "public");
      if (key.includes("-----BEGIN")) return fromPem(key, usable);
      return fromBytes(binary(key.trim()) ?? invalidKey("it is neither PEM nor hex nor base64."), usable);
    },
    signing: (key: KeyText, algorithm?: Algorithm): KeyMaterial => {
      const usable = bound(algorithm);
      if (typeof key !== "string" && !(key instanceof Uint8Array)) return fromJwk(key, usable, "private");
      const bytes =
        key instanceof Uint8Array
          ? key
          : key.includes("-----BEGIN")
            ? readPem(key).find(({ label }) => label === "PRIVATE KEY")?.der
            : binary(key.trim());
      if (bytes === undefined) return invalidKey("it is not a private key as PEM (PKCS #8), hex or base64.");
      return bytes.length <= 64 && usable.includes("ed25519") && bytes[0] !== 0x30
        ? ed25519Private(bytes)
        : bytes.length === 32 && usable.includes("ed25519")
          ? ed25519Private(bytes)
          : fromPkcs8(bytes, usable);
    },
  };
};
