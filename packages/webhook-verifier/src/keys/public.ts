import { decodeBase64, decodeBase64url } from "../base64.ts";
import { decodeHex } from "../hex.ts";
import type { Algorithm, KeyMaterial } from "../platform/contract.ts";
import { isBytes } from "../runtime.ts";
import { expectDer, readAll, readDer, tags, writeDer } from "./der.ts";
import { ed25519Public } from "./ed25519.ts";
import { invalidKey, type KeyNotation, type KeyText } from "./key.ts";
import { readPem } from "./pem.ts";
import { fromJwk, fromSpki } from "./spki.ts";

const rsaIdentifier = writeDer(
  tags.sequence,
  Uint8Array.of(0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01),
  writeDer(tags.null),
);

/** Hex, base64 or base64url, whichever it can be; hex first, because hex digits are base64 digits as well. */
export const binary = (text: string): Uint8Array | undefined =>
  (/^[0-9a-fA-F]+$/.test(text) ? decodeHex(text) : undefined) ??
  decodeBase64(text.replace(/\s+/g, "")) ??
  decodeBase64url(text);

/** The key of an X.509 certificate; nothing else of it is looked at, because the certificate itself was given as trusted. */
const certificateKey = (der: Uint8Array): Uint8Array => {
  try {
    const fields = readAll(readDer(readDer(der).body).body);
    return expectDer(fields, fields[0]?.tag === 0xa0 ? 6 : 5, tags.sequence).whole;
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
 * the 32 bytes of an Ed25519 key in hex, base64 or base64url, or a JWK. A key serves the first of `algorithms` that fits its kind. For
 * the sender's side see `privateKey`.
 */
export const publicKey = (...algorithms: readonly [Algorithm, ...Algorithm[]]): KeyNotation => {
  const bound = (algorithm?: Algorithm): readonly Algorithm[] =>
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
      if (isBytes(key)) return fromBytes(key, usable);
      if (typeof key !== "string") return fromJwk(key, usable);
      if (key.includes("-----BEGIN")) return fromPem(key, usable);
      return fromBytes(binary(key.trim()) ?? invalidKey("it is neither PEM nor hex nor base64."), usable);
    },
  };
};
