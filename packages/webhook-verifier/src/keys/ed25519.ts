import { openPrivate, openPublic } from "#platform";
import { concat } from "../bytes.ts";
import { encodeHex } from "../hex.ts";
import type { PrivateKey, VerifyingKey } from "../platform/contract.ts";
import { invalidKey } from "./key.ts";

// What precedes the 32 bytes in SPKI and PKCS #8 (RFC 8410, 4 and 7).
const spki = /* @__PURE__ */ Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);
const pkcs8 = /* @__PURE__ */ Uint8Array.of(
  0x30,
  0x2e,
  0x02,
  0x01,
  0,
  0x30,
  0x05,
  0x06,
  0x03,
  0x2b,
  0x65,
  0x70,
  0x04,
  0x22,
  0x04,
  0x20,
);

const prime = 2n ** 255n - 19n;

/**
 * Whether a point has an order of at most 8, in any spelling. One signature of such a key fits any
 * message. The point's y is 0, 1 or -1 (orders 4, 1 and 2), or doubling leads to such a point. By
 * RFC 8032's curve equation (d = -121665/121666), y is then a root of the last factor.
 */
const isSmallOrder = (bytes: Uint8Array): boolean => {
  const y = BigInt(`0x${encodeHex(Uint8Array.from(bytes).reverse())}`) & (2n ** 255n - 1n);
  const square = (y * y) % prime;
  return (y * (square - 1n) * (243332n * square - 121665n * square * square - 121666n)) % prime === 0n;
};

/**
 * An Ed25519 public key from its 32 bytes. @throws WebhookConfigError `key_invalid`, also for
 * points of small order.
 */
export const ed25519Public = (bytes: Uint8Array): VerifyingKey => {
  if (bytes.length !== 32) return invalidKey(`an Ed25519 public key has 32 bytes, this one ${bytes.length}.`);
  return isSmallOrder(bytes)
    ? invalidKey("it is a point of small order: anybody could sign for it.")
    : openPublic({ bytes: concat([spki, bytes]), algorithm: "ed25519" });
};

/** Makes an Ed25519 private key from its 32-byte seed, or from seed and public key in 64 bytes. */
export const ed25519Private = (bytes: Uint8Array): PrivateKey =>
  bytes.length === 32 || bytes.length === 64
    ? openPrivate({ bytes: concat([pkcs8, bytes.subarray(0, 32)]), algorithm: "ed25519" })
    : invalidKey(`an Ed25519 private key has 32 or 64 bytes, this one ${bytes.length}.`);
