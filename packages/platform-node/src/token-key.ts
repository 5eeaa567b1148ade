import { createECDH, createHash, createPrivateKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { PublicJwk, PublicSigningKey, SigningKey } from "@postern/core/parts";
import { derivedKey } from "./derived-key.ts";

const generate = promisify(generateKeyPair);

/**
 * Its JWK thumbprint (RFC 7638, section 3.2: the required members in this order and without
 * spaces).
 */
const kidOf = ({ crv, kty, x, y }: PublicJwk): string =>
  createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");

/** A new ES256 key pair. The private half is its `d` as a JSON Web Key has it. */
export const newTokenKey = async (): Promise<SigningKey> => {
  const { privateKey } = await generate("ec", { namedCurve: "P-256" });
  const { x = "", y = "", d = "" } = privateKey.export({ format: "jwk" });
  const publicKey: PublicJwk = { kty: "EC", crv: "P-256", x, y };
  return { kid: kidOf(publicKey), publicKey, privateKey: d };
};

/** The private half as Node signs with it. */
export const privateKeyOf = ({ publicKey, privateKey }: SigningKey): KeyObject =>
  createPrivateKey({ key: { ...publicKey, d: privateKey }, format: "jwk" });

/** The order of P-256's base point (FIPS 186-5, SP 800-186). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * The ES256 key that belonged to a secret key before signing keys were stored, the same on every
 * node. Its private scalar is 384 derived bits reduced to 1 … order - 1 (FIPS 186-5, appendix
 * A.2.1). It is used only to check tokens from that time.
 */
export const formerTokenKey = (secretKey: Uint8Array): PublicSigningKey => {
  const wide = BigInt(`0x${derivedKey(secretKey, "access token ES256 1", 48).toString("hex")}`);
  const scalar = Buffer.from(((wide % (order - 1n)) + 1n).toString(16).padStart(64, "0"), "hex");
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(scalar);
  // Uncompressed point: 0x04, then 32 bytes of x and 32 of y.
  const point = ecdh.getPublicKey();
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  const publicKey: PublicJwk = { kty: "EC", crv: "P-256", x, y };
  return { kid: kidOf(publicKey), publicKey };
};
