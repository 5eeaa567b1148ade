import { openPublic } from "#platform";
import { decodeBase64, decodeBase64url } from "../base64.ts";
import type { Algorithm, VerifyingKey } from "../platform/contract.ts";
import { isBytes } from "../runtime.ts";
import { expectDer, readAll, readDer } from "./der.ts";
import * as tags from "./der-tags.ts";
import { ecdsaDer } from "./ecdsa-der.ts";
import { ed25519Public } from "./ed25519.ts";
import { invalidKey, type Jwk, type KeyNotation, type KeyText } from "./key.ts";
import { readPem } from "./pem.ts";
import { rsa } from "./rsa.ts";
import { fromJwk, fromSpki, type KeyParts, member } from "./spki.ts";

/**
 * Reads hex, base64 or base64url. Hex is tried first, because hex digits are base64 digits as well.
 */
export const binary = (text: string): Uint8Array | undefined =>
  (/^([\da-f]{2})+$/i.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (byte) => Number(`0x${byte}`))
    : undefined) ??
  decodeBase64(text.replace(/\s+/g, "")) ??
  decodeBase64url(text);

/**
 * The SPKI in an X.509 certificate. Nothing else in the certificate is checked, because you gave it
 * as trusted. An RSA key in PKCS #1 is wrapped in SPKI. Other bytes stay as they are.
 */
const spkiIn = (der: Uint8Array, parts: KeyParts): Uint8Array => {
  try {
    const [first, second] = readAll(readDer(der).body);
    if (first?.tag === tags.integer && second?.tag === tags.integer) return parts.rsa.spkiOf(der);
    const fields = readAll(first?.body ?? der);
    // SPKI begins with an identifier. A certificate begins with its version, which is optional, or
    // its serial number.
    return fields[0]?.tag === tags.oid ? der : expectDer(fields, fields[0]?.tag === 0xa0 ? 6 : 5, tags.sequence).whole;
  } catch {
    return der;
  }
};

const fromBytes = (bytes: Uint8Array, algorithms: readonly Algorithm[], parts: KeyParts): VerifyingKey =>
  bytes.length === 32 && algorithms.includes("ed25519")
    ? parts.ed25519(bytes)
    : fromSpki(spkiIn(bytes, parts), algorithms, parts);

/** The bytes in a text: those of the first PEM block, or of hex or base64. */
const bytesIn = (text: string): Uint8Array => {
  const [block] = readPem(text);
  if (block?.label.endsWith("PRIVATE KEY")) invalidKey("it is a private key; a receiver needs the public one.");
  return block?.der ?? binary(text.trim()) ?? invalidKey("it is neither PEM nor hex nor base64.");
};

const fromPublicJwk = (jwk: Jwk, algorithms: readonly Algorithm[], parts: KeyParts): VerifyingKey => {
  const material = fromJwk(jwk, algorithms, parts);
  return material.algorithm === "ed25519" ? parts.ed25519(member(jwk, "x")) : openPublic(material);
};

const notation = (algorithms: readonly Algorithm[], parts: KeyParts): KeyNotation => ({
  about: "a public key as PEM, SPKI or X.509, hex, base64 or JWK",
  algorithms,
  secret: false,
  verifying: (key: KeyText, algorithm?: Algorithm): VerifyingKey => {
    if (algorithm !== undefined && !algorithms.includes(algorithm)) invalidKey(`${algorithm} is not used here.`);
    const usable = algorithm === undefined ? algorithms : [algorithm];
    if (typeof key !== "string" && !isBytes(key)) return fromPublicJwk(key, usable, parts);
    return fromBytes(typeof key === "string" ? bytesIn(key) : key, usable, parts);
  },
});

/**
 * Reads a public key in any form in which senders show it: PEM (`PUBLIC KEY`, `CERTIFICATE`, `RSA
 * PUBLIC KEY`), SPKI, PKCS #1 or X.509 in base64 or hex, the 32 bytes of an Ed25519 key in hex,
 * base64 or base64url, or a JWK. The key gets the first of `algorithms` that fits its kind. For the
 * sender's side see `privateKey`.
 */
export const publicKey = (...algorithms: readonly [Algorithm, ...Algorithm[]]): KeyNotation =>
  notation(algorithms, { ed25519: ed25519Public, rsa, der: ecdsaDer });

/**
 * Like `publicKey`, for senders that write no ASN.1. Their receivers do not ship the code that
 * reads it.
 */
export const plainPublicKey = (...algorithms: readonly Exclude<Algorithm, `${string}-der`>[]): KeyNotation =>
  notation(algorithms, { ed25519: ed25519Public, rsa });

// The casts below leave out the parts of kinds that the types of `algorithms` exclude.

/** Like `publicKey`, for senders with RSA keys. Their receivers ship no code for other kinds. */
export const rsaPublicKey = (...algorithms: readonly Extract<Algorithm, `rsa-${string}`>[]): KeyNotation =>
  notation(algorithms, { rsa } as KeyParts);

/**
 * Like `publicKey`, for senders with Ed25519 keys. Their receivers ship no code for other kinds.
 */
export const ed25519PublicKey = (): KeyNotation => notation(["ed25519"], { ed25519: ed25519Public } as KeyParts);

/** The parts that ECDSA keys with signatures in ASN.1 need. */
export const ecdsaKeys = { der: ecdsaDer } as KeyParts;

/**
 * Like `publicKey`, for senders with ECDSA keys that write their signatures in ASN.1. Their
 * receivers ship no code for other kinds.
 */
export const ecdsaDerPublicKey = (...algorithms: readonly Extract<Algorithm, `${string}-der`>[]): KeyNotation =>
  notation(algorithms, ecdsaKeys);

/**
 * Like `publicKey`, for senders with ECDSA keys that write no ASN.1. Their receivers ship no code
 * for other kinds.
 */
export const ecdsaPublicKey = (
  ...algorithms: readonly Exclude<Extract<Algorithm, `ecdsa-${string}`>, `${string}-der`>[]
): KeyNotation => notation(algorithms, {} as KeyParts);
