import { openPrivate } from "#platform";
import type { Algorithm, PrivateKey } from "../platform/contract.ts";
import { isBytes } from "../runtime.ts";
import { expectDer, readAll, readDer } from "./der.ts";
import * as tags from "./der-tags.ts";
import { ecdsaDer } from "./ecdsa-der.ts";
import { ed25519Private } from "./ed25519.ts";
import { invalidKey, type Jwk, type KeyText } from "./key.ts";
import { readPem } from "./pem.ts";
import { binary } from "./public.ts";
import { rsa } from "./rsa.ts";
import { algorithmFor, derOf, fromJwk, kindOfIdentifier, member } from "./spki.ts";

/** Takes PKCS #8. @throws WebhookConfigError `key_invalid` */
const fromPkcs8 = (pkcs8: Uint8Array, algorithms: readonly Algorithm[]): PrivateKey => {
  let kind = "";
  try {
    kind = kindOfIdentifier(expectDer(readAll(readDer(pkcs8).body), 1, tags.sequence).body);
  } catch (cause) {
    return invalidKey("it is not a private key in PKCS #8 form.", cause);
  }
  const algorithm = algorithmFor(kind, algorithms);
  return openPrivate({ bytes: pkcs8, algorithm, ...derOf(algorithm, ecdsaDer) });
};

const fromPrivateJwk = (jwk: Jwk, algorithms: readonly Algorithm[]): PrivateKey =>
  jwk.kty === "OKP"
    ? ed25519Private(member(jwk, "d"))
    : openPrivate(
        fromJwk(jwk, algorithms, { rsa, der: ecdsaDer }, jwk.kty === "RSA" ? ["d", "p", "q", "dp", "dq", "qi"] : ["d"]),
      );

/**
 * Reads the sender's private key that belongs to a public one: PEM `PRIVATE KEY` (PKCS #8), its
 * bytes in base64 or hex, a private JWK, or an Ed25519 seed of 32 bytes. It is separate from
 * `publicKey`, so that a receiver does not ship it.
 * @throws WebhookConfigError `key_invalid`
 */
export const privateKey = (key: KeyText, algorithms: readonly Algorithm[]): PrivateKey => {
  if (typeof key !== "string" && !isBytes(key)) return fromPrivateJwk(key, algorithms);
  const bytes =
    typeof key !== "string"
      ? key
      : key.includes("-----BEGIN")
        ? readPem(key).find(({ label }) => label === "PRIVATE KEY")?.der
        : binary(key.trim());
  if (bytes === undefined) return invalidKey("it is not a private key as PEM (PKCS #8), hex or base64.");
  const isSeed = bytes.length === 32 || (bytes.length === 64 && bytes[0] !== 0x30);
  return isSeed && algorithms.includes("ed25519") ? ed25519Private(bytes) : fromPkcs8(bytes, algorithms);
};
