import { openPublic } from "#platform";
import { decodeBase64url } from "../base64.ts";
import { encodeHex } from "../hex.ts";
import type { Algorithm, KeyMaterial, VerifyingKey } from "../platform/contract.ts";
import { expectDer, readAll, readDer } from "./der.ts";
import * as tags from "./der-tags.ts";
import { invalidKey, type Jwk } from "./key.ts";
import type { RsaKeys } from "./rsa.ts";

/**
 * The `AlgorithmIdentifier` of each kind of key, as hex: object identifiers and, for RSA, a NULL.
 */
const ec = "06072a8648ce3d0201";
const kinds: Readonly<Record<string, string>> = {
  "06032b6570": "ed25519",
  "06092a864886f70d0101010500": "rsa",
  [`${ec}06082a8648ce3d030107`]: "p256",
  [`${ec}06052b81040022`]: "p384",
  [`${ec}06052b81040023`]: "p521",
};

/** The kind of key that an algorithm needs: `ed25519`, `p256`, `p384`, `p521` or `rsa`. */
const kindOf = (algorithm: Algorithm): string => {
  const [family = "", second = ""] = algorithm.split("-");
  return family === "ecdsa" ? second : family;
};

/**
 * The kind that an `AlgorithmIdentifier` of SPKI or PKCS #8 names. @throws TypeError for an unknown
 * one.
 */
export const kindOfIdentifier = (identifier: Uint8Array): string => {
  const kind = kinds[encodeHex(identifier)];
  if (kind === undefined) throw new TypeError("a kind of key that no scheme uses");
  return kind;
};

/** The one of `algorithms` that a kind of key serves. @throws WebhookConfigError `key_invalid` */
export const algorithmFor = (kind: string, algorithms: readonly Algorithm[]): Algorithm =>
  algorithms.find((candidate) => kindOf(candidate) === kind) ??
  invalidKey(`it is of kind ${kind}; needed: ${algorithms.map(kindOf).join(", ")}.`);

/** What a platform needs in addition to the key, for signatures in ASN.1. */
export type DerCodec = NonNullable<KeyMaterial["der"]>;

/** `codec`, if the algorithm needs it. */
export const derOf = (algorithm: Algorithm, codec: DerCodec | undefined): Pick<KeyMaterial, "der"> =>
  codec !== undefined && algorithm.endsWith("-der") ? { der: codec } : {};

/**
 * The parts that only some kinds of keys need. A notation names those of its own kinds, so that a
 * receiver ships no others. Its algorithms must not name a kind whose part is missing: such a key
 * would end in a `TypeError`, and would never verify anything.
 */
export interface KeyParts {
  /** Takes the 32 bytes of a key in. @throws WebhookConfigError `key_invalid` */
  readonly ed25519: (bytes: Uint8Array) => VerifyingKey;
  readonly rsa: RsaKeys;
  readonly der?: DerCodec;
}

/**
 * Takes SPKI in for the one of `algorithms` that it fits. @throws WebhookConfigError `key_invalid`
 */
export const fromSpki = (spki: Uint8Array, algorithms: readonly Algorithm[], parts: KeyParts): VerifyingKey => {
  let kind = "";
  let key = spki;
  try {
    const outer = readDer(spki);
    const fields = readAll(outer.body);
    kind = kindOfIdentifier(expectDer(fields, 0, tags.sequence).body);
    key = expectDer(fields, 1, tags.bits).body.subarray(1);
    if (fields.length !== 2 || outer.whole.length !== spki.length) throw new TypeError("more than a key");
  } catch (cause) {
    return invalidKey("it is not a public key in SPKI form.", cause);
  }
  const algorithm = algorithmFor(kind, algorithms);
  if (kind === "ed25519") return parts.ed25519(key);
  if (kind === "rsa") parts.rsa.check(...parts.rsa.numbersOf(key));
  return openPublic({ bytes: spki, algorithm, ...derOf(algorithm, parts.der) });
};

/** The bytes of a member of a JWK. @throws WebhookConfigError `key_invalid` */
export const member = (jwk: Jwk, name: string): Uint8Array =>
  decodeBase64url(String(jwk[name] ?? "!")) ?? invalidKey(`its JWK member ${name} is not base64url.`);

/**
 * Takes in only those members of a JWK that make up the key. `secrets` are the members of a private
 * key.
 * @throws WebhookConfigError `key_invalid`
 */
export const fromJwk = (
  jwk: Jwk,
  algorithms: readonly Algorithm[],
  { rsa, der }: Pick<KeyParts, "rsa" | "der">,
  secrets: readonly string[] = [],
): KeyMaterial => {
  const { kty, crv } = jwk;
  // `P-256` is called p256 here, and `Ed25519` ed25519.
  const kind = kty === "RSA" ? "rsa" : `${crv}`.toLowerCase().replace("-", "");
  const algorithm = algorithmFor(kind, algorithms);
  const names = [...(kind === "rsa" ? ["n", "e"] : kind === "ed25519" ? ["x"] : ["x", "y"]), ...secrets];
  for (const name of names) member(jwk, name);
  if (kind === "rsa") rsa.check(member(jwk, "n"), member(jwk, "e"));
  const members: Record<string, string> = { kty, ...(kind !== "rsa" && { crv: `${crv}` }) };
  for (const name of names) members[name] = String(jwk[name]);
  return { bytes: new Uint8Array(), jwk: members, algorithm, ...derOf(algorithm, der) };
};
