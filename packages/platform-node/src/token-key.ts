import { createHash, createPrivateKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { PublicJwk, SigningKey } from "@postern/core/ports";

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
