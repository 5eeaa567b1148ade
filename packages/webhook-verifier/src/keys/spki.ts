import { openPublic } from "#platform";
import { decodeBase64url } from "../base64.ts";
import { encodeHex } from "../hex.ts";
import type { Algorithm, KeyMaterial, VerifyingKey } from "../platform/contract.ts";
import { type Der, expectDer, readAll, readDer, tags } from "./der.ts";
import { ed25519Public } from "./ed25519.ts";
import { invalidKey, type Jwk } from "./key.ts";

/** What stands in the `AlgorithmIdentifier` of each kind of key, as hex: object identifiers and, for RSA, a NULL. */
const ec = "06072a8648ce3d0201";
const kinds: Readonly<Record<string, string>> = {
  "06032b6570": "ed25519",
  "06092a864886f70d0101010500": "rsa",
  [`${ec}06082a8648ce3d030107`]: "p256",
  [`${ec}06052b81040022`]: "p384",
  [`${ec}06052b81040023`]: "p521",
};

/** What kind of key an algorithm needs: `ed25519`, `p256`, `p384`, `p521` or `rsa`. */
const kindOf = (algorithm: Algorithm): string => {
  const [family = "", second = ""] = algorithm.split("-");
  return family === "ecdsa" ? second : family;
};

/** The kind of an SPKI or PKCS #8 `AlgorithmIdentifier`. @throws TypeError if it is none of ours. */
export const kindOfIdentifier = (identifier: Uint8Array): string => {
  const kind = kinds[encodeHex(identifier)];
  if (kind === undefined) throw new TypeError("a kind of key that no scheme uses");
  return kind;
};

/** The algorithm among `algorithms` that a kind of key serves. @throws WebhookConfigError `key_invalid` */
export const algorithmFor = (kind: string, algorithms: readonly Algorithm[]): Algorithm =>
  algorithms.find((candidate) => kindOf(candidate) === kind) ??
  invalidKey(`it is of kind ${kind}; needed: ${algorithms.map(kindOf).join(", ")}.`);

/** A number's bytes without zeros in front, which count for nothing. */
const significant = (bytes: Uint8Array): Uint8Array => {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? new Uint8Array() : bytes.subarray(first);
};

/** With the exponent 1 a signature is its own message. @throws WebhookConfigError `key_invalid` */
const checkRsa = (modulus: Uint8Array, exponent: Uint8Array): void => {
  const [n, e] = [significant(modulus), significant(exponent)];
  if (n.length < 256 || (n.length === 256 && (n[0] ?? 0) < 0x80)) invalidKey("an RSA key needs 2048 bits.");
  const last = e.at(-1) ?? 0;
  if (last % 2 === 0 || (e.length === 1 && last < 3)) invalidKey("an RSA key needs an odd exponent of 3 or more.");
};

/** What a platform needs besides the key for signatures in ASN.1. */
export type DerCodec = NonNullable<KeyMaterial["der"]>;

/** `codec`, for the algorithms that need it. */
export const derOf = (algorithm: Algorithm, codec: DerCodec | undefined): Pick<KeyMaterial, "der"> =>
  codec !== undefined && algorithm.endsWith("-der") ? { der: codec } : {};

const integerAt = (numbers: readonly Der[], index: number): Uint8Array => {
  const number = numbers[index];
  return number?.tag === tags.integer ? number.body : new Uint8Array();
};

/** Takes SPKI for the algorithm among `algorithms` it fits. @throws WebhookConfigError `key_invalid` */
export const fromSpki = (spki: Uint8Array, algorithms: readonly Algorithm[], codec?: DerCodec): VerifyingKey => {
  let kind = "";
  let key = spki;
  let numbers: readonly Der[] = [];
  try {
    const outer = readDer(spki);
    const parts = readAll(outer.body);
    kind = kindOfIdentifier(expectDer(parts, 0, tags.sequence).body);
    key = expectDer(parts, 1, tags.bits).body.subarray(1);
    if (parts.length !== 2 || outer.whole.length !== spki.length) throw new TypeError("more than a key");
    if (kind === "rsa") numbers = readAll(readDer(key).body);
  } catch (cause) {
    return invalidKey("it is not a public key in SPKI form.", cause);
  }
  const algorithm = algorithmFor(kind, algorithms);
  if (kind === "ed25519") return ed25519Public(key);
  if (kind === "rsa") checkRsa(integerAt(numbers, 0), integerAt(numbers, 1));
  return openPublic({ bytes: spki, algorithm, ...derOf(algorithm, codec) });
};

/** The bytes of a JWK's member. @throws WebhookConfigError `key_invalid` */
export const member = (jwk: Jwk, name: string): Uint8Array =>
  decodeBase64url(String(jwk[name] ?? "!")) ?? invalidKey(`its JWK member ${name} is not base64url.`);

/**
 * Takes a JWK with just the members that make it a key; `secrets` are those of a private one.
 * @throws WebhookConfigError `key_invalid`
 */
export const fromJwk = (
  jwk: Jwk,
  algorithms: readonly Algorithm[],
  codec?: DerCodec,
  secrets: readonly string[] = [],
): KeyMaterial => {
  const { kty, crv } = jwk;
  // `P-256` is p256 here, `Ed25519` ed25519.
  const kind = kty === "RSA" ? "rsa" : `${crv}`.toLowerCase().replace("-", "");
  const algorithm = algorithmFor(kind, algorithms);
  const names = [...(kind === "rsa" ? ["n", "e"] : kind === "ed25519" ? ["x"] : ["x", "y"]), ...secrets];
  for (const name of names) member(jwk, name);
  if (kind === "rsa") checkRsa(member(jwk, "n"), member(jwk, "e"));
  const members: Record<string, string> = { kty, ...(kind !== "rsa" && { crv: `${crv}` }) };
  for (const name of names) members[name] = String(jwk[name]);
  return { bytes: new Uint8Array(), jwk: members, algorithm, ...derOf(algorithm, codec) };
};
