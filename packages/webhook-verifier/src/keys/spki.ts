import { concat, decodeBase64url, decodeHex } from "../encoding.ts";
import type { Algorithm, KeyMaterial } from "../platform/contract.ts";
import { expectDer, oidOf, readAll, readDer, tags, writeDer } from "./der.ts";
import { ed25519Private, ed25519Public } from "./ed25519.ts";
import { invalidKey, type Jwk } from "./key.ts";

/** Object identifiers, as hex of their encoded bodies. */
const oids = {
  ed25519: "2b6570",
  ec: "2a8648ce3d0201",
  rsa: "2a864886f70d010101",
  p256: "2a8648ce3d030107",
  p384: "2b81040022",
  p521: "2b81040023",
} as const;

const curveOf: Readonly<Record<string, "p256" | "p384" | "p521">> = {
  "P-256": "p256",
  "P-384": "p384",
  "P-521": "p521",
};

/** What kind of key an algorithm needs: `ed25519`, `p256`, `p384`, `p521` or `rsa`. */
export const kindOf = (algorithm: Algorithm): string => {
  const [family = "", second = ""] = algorithm.split("-");
  return family === "ecdsa" ? second : family;
};

const bytesOfOid = (oid: string): Uint8Array => decodeHex(oid) ?? new Uint8Array();
const oid = (name: keyof typeof oids): Uint8Array => writeDer(tags.oid, bytesOfOid(oids[name]));

/** The kind of an SPKI or PKCS #8 `AlgorithmIdentifier`. @throws TypeError if it is none of ours. */
const kindOfIdentifier = (identifier: Uint8Array): string => {
  const parts = readAll(identifier);
  const name = oidOf(expectDer(parts, 0, tags.oid));
  const wanted = name === oids.ec ? oidOf(expectDer(parts, 1, tags.oid)) : name;
  const found = Object.entries(oids).find(([, value]) => value === wanted)?.[0];
  if (found === undefined) throw new TypeError("a kind of key that no scheme uses");
  return found;
};

/** Bits of an RSA modulus, from the body of the key's BIT STRING. */
const modulusBits = (bits: Uint8Array): number => {
  const modulus = expectDer(readAll(readDer(bits, 1).body), 0, tags.integer).body;
  return (modulus.length - (modulus[0] === 0 ? 1 : 0)) * 8;
};

/** Takes SPKI for the algorithm among `algorithms` it fits. @throws WebhookConfigError `key_invalid` */
export const fromSpki = (spki: Uint8Array, algorithms: readonly Algorithm[]): KeyMaterial => {
  let kind = "";
  let bits = 0;
  try {
    const outer = readDer(spki);
    const parts = readAll(outer.body);
    kind = kindOfIdentifier(expectDer(parts, 0, tags.sequence).body);
    const key = expectDer(parts, 1, tags.bits).body;
    if (parts.length !== 2 || outer.whole.length !== spki.length) throw new TypeError("more than a key");
    if (kind === "rsa") bits = modulusBits(key);
  } catch (cause) {
    return invalidKey("it is not a public key in SPKI form.", cause);
  }
  const algorithm = algorithms.find((candidate) => kindOf(candidate) === kind);
  if (algorithm === undefined) return invalidKey(`it is a ${kind} key; needed: ${algorithms.map(kindOf).join(", ")}.`);
  if (kind === "rsa" && bits < 2048) return invalidKey(`it has ${bits} bits; an RSA key needs 2048.`);
  return { form: "public", bytes: spki, algorithm };
};

/** Takes PKCS #8. @throws WebhookConfigError `key_invalid` */
export const fromPkcs8 = (pkcs8: Uint8Array, algorithms: readonly Algorithm[]): KeyMaterial => {
  let kind = "";
  try {
    kind = kindOfIdentifier(expectDer(readAll(readDer(pkcs8).body), 1, tags.sequence).body);
  } catch (cause) {
    return invalidKey("it is not a private key in PKCS #8 form.", cause);
  }
  const algorithm = algorithms.find((candidate) => kindOf(candidate) === kind);
  return algorithm === undefined
    ? invalidKey(`it is a ${kind} key; needed: ${algorithms.map(kindOf).join(", ")}.`)
    : { form: "private", bytes: pkcs8, algorithm };
};

const member = (jwk: Jwk, name: string): Uint8Array => {
  const value = jwk[name];
  const bytes = typeof value === "string" ? decodeBase64url(value) : undefined;
  return bytes ?? invalidKey(`its JWK member ${name} is not base64url.`);
};

const unsigned = (bytes: Uint8Array): Uint8Array =>
  writeDer(tags.integer, (bytes[0] ?? 0) > 0x7f ? concat([Uint8Array.of(0), bytes]) : bytes);

const ecIdentifier = (curve: "p256" | "p384" | "p521"): Uint8Array => writeDer(tags.sequence, oid("ec"), oid(curve));
const point = (jwk: Jwk): Uint8Array => concat([Uint8Array.of(4), member(jwk, "x"), member(jwk, "y")]);
const bitString = (bytes: Uint8Array): Uint8Array => writeDer(tags.bits, Uint8Array.of(0), bytes);

/** Takes a JWK, the private one if `form` says so. @throws WebhookConfigError `key_invalid` */
export const fromJwk = (jwk: Jwk, algorithms: readonly Algorithm[], form: "public" | "private"): KeyMaterial => {
  const isPrivate = form === "private";
  if (jwk.kty === "OKP" && jwk.crv === "Ed25519" && algorithms.includes("ed25519"))
    return isPrivate ? ed25519Private(member(jwk, "d")) : ed25519Public(member(jwk, "x"));
  const curve = curveOf[jwk.crv ?? ""];
  if (jwk.kty === "EC" && curve !== undefined) {
    const identifier = ecIdentifier(curve);
    if (!isPrivate) return fromSpki(writeDer(tags.sequence, identifier, bitString(point(jwk))), algorithms);
    const key = writeDer(
      tags.sequence,
      writeDer(tags.integer, Uint8Array.of(1)),
      writeDer(tags.octets, member(jwk, "d")),
      writeDer(0xa1, bitString(point(jwk))),
    );
    const version = writeDer(tags.integer, Uint8Array.of(0));
    return fromPkcs8(writeDer(tags.sequence, version, identifier, writeDer(tags.octets, key)), algorithms);
  }
  if (jwk.kty === "RSA" && !isPrivate) {
    const key = writeDer(tags.sequence, unsigned(member(jwk, "n")), unsigned(member(jwk, "e")));
    const identifier = writeDer(tags.sequence, oid("rsa"), writeDer(tags.null));
    return fromSpki(writeDer(tags.sequence, identifier, bitString(key)), algorithms);
  }
  return invalidKey(`it is not a JWK for ${algorithms.join(" or ")}.`);
};
