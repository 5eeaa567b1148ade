import { openPrivate, openPublic } from "#platform";
import { concat } from "../bytes.ts";
import type { PrivateKey, VerifyingKey } from "../platform/contract.ts";
import { invalidKey } from "./key.ts";

// What stands before the 32 bytes in SPKI and PKCS #8 (RFC 8410, 4 and 7).
const spki = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);
const pkcs8 = Uint8Array.of(
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

/** An Ed25519 public key from its 32 bytes. */
export const ed25519Public = (bytes: Uint8Array): VerifyingKey =>
  bytes.length === 32
    ? openPublic({ bytes: concat([spki, bytes]), algorithm: "ed25519" })
    : invalidKey(`an Ed25519 public key has 32 bytes, this one ${bytes.length}.`);

/** An Ed25519 private key from its 32-byte seed, or from seed and public key in 64 bytes. */
export const ed25519Private = (bytes: Uint8Array): PrivateKey =>
  bytes.length === 32 || bytes.length === 64
    ? openPrivate({ bytes: concat([pkcs8, bytes.subarray(0, 32)]), algorithm: "ed25519" })
    : invalidKey(`an Ed25519 private key has 32 or 64 bytes, this one ${bytes.length}.`);
