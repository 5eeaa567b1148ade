import { decodeBase64url } from "../base64.ts";
import type { Algorithm, KeyMaterial } from "../platform/contract.ts";
import { expectDer, oidOf, readAll, readDer, tags } from "./der.ts";
import { ecdsaDer } from "./ecdsa-der.ts";
import { ed25519Public } from "./ed25519.ts";
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

/** What kind of key an algorithm needs: `ed25519`, `p256`, `p384`, `p521` or `rsa`. */
export const kindOf = (algorithm: Algorithm): string => {
  const [family = "", second = ""] = algorithm.split("-");
  return family === "ecdsa" ? second : family;
};

/** The kind of an SPKI or PKCS #8 `AlgorithmIdentifier`. @throws TypeError if it is none of ours. */
export const kindOfIdentifier = (identifier: Uint8Array): string => {
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

export const derOf = (algorithm: Algorithm): Pick<KeyMaterial, "der"> =>
  algorithm.endsWith("-der") ? { der: ecdsaDer } : {};

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
  return { form: "public", bytes: spki, algorithm, ...derOf(algorithm) };
};

/** The bytes of a JWK's member. @throws WebhookConfigError `key_invalid` */
export const member = (jwk: Jwk, name: string): Uint8Array => {
  const value = jwk[name];
  const bytes = typeof value === "string" ? decodeBase64url(value) : undefined;
  return bytes ?? invalidKey(`its JWK member ${name} is not base64url.`);
};

/**
 * Takes a JWK with just the members that make it a key; `secrets` are those of a private one.
 * @throws WebhookConfigError `key_invalid`
 */
export const fromJwk = (jwk: Jwk, algorithms: readonly Algorithm[], secrets: readonly string[] = []): KeyMaterial => {
  const { kty, crv = "" } = jwk;
  const kind = kty === "RSA" ? "rsa" : kty === "EC" ? crv.toLowerCase().replace("-", "") : crv.toLowerCase();
  const algorithm =
    algorithms.find((candidate) => kindOf(candidate) === kind) ??
    invalidKey(`it is not a JWK for ${algorithms.join(" or ")}.`);
  if (kind === "ed25519" && secrets.length === 0) return ed25519Public(member(jwk, "x"));
  if (kind === "rsa" && member(jwk, "n").length < 256) invalidKey("an RSA key needs 2048 bits.");
  const names = [...(kind === "rsa" ? ["n", "e"] : kty === "EC" ? ["x", "y"] : ["x"]), ...secrets];
  for (const name of names) member(jwk, name);
  const members = Object.fromEntries([
    ["kty", kty],
    ...(crv === "" ? [] : [["crv", crv]]),
    ...names.map((name) => [name, String(jwk[name])]),
  ]);
  const form = secrets.length === 0 ? "public" : "private";
  return { form, bytes: new Uint8Array(), jwk: members, algorithm, ...derOf(algorithm) };
};
