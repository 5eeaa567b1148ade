import { createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { derivedKey } from "./derived-key.ts";

export interface TokenKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The key's JWK thumbprint (RFC 7638). */
  readonly kid: string;
}

/** The order of P-256's base point (FIPS 186-5, SP 800-186). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * The ES256 key pair that belongs to a secret key, the same on every node. The private scalar is made of 384 derived bits reduced to
 * 1 … order - 1, which leaves no measurable bias (FIPS 186-5, appendix A.2.1).
 */
export const tokenKey = (secretKey: Uint8Array): TokenKey => {
  const wide = BigInt(`0x${derivedKey(secretKey, "access token ES256 1", 48).toString("hex")}`);
  const scalar = Buffer.from(((wide % (order - 1n)) + 1n).toString(16).padStart(64, "0"), "hex");
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(scalar);
  // Uncompressed point: 0x04, then 32 bytes of x and 32 of y.
  const point = ecdh.getPublicKey();
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  const privateKey = createPrivateKey({
    key: { kty: "EC", crv: "P-256", d: scalar.toString("base64url"), x, y },
    format: "jwk",
  });
  // RFC 7638, section 3.2: the required members in this order and without spaces.
  const kid = createHash("sha256").update(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`).digest("base64url");
  return { privateKey, publicKey: createPublicKey(privateKey), kid };
};
