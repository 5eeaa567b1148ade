import { type Randomness, utf8Bytes } from "@postern/core/parts";
import { sha256Hex } from "@postern/webhook-verifier";

/** This many random bytes in hexadecimal. */
export const randomHex = (randomness: Pick<Randomness, "bytes">, bytes: number): string =>
  Array.from(randomness.bytes(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * The challenge of a verifier by the method S256 (RFC 7636, section 4.2): base64url of its SHA-256.
 */
export const challengeOf = async (verifier: string): Promise<string> => {
  const bits = [...(await sha256Hex(utf8Bytes(verifier)))]
    .map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, "0"))
    .join("");
  return (bits.padEnd(258, "0").match(/.{6}/g) ?? []).map((six) => digits[Number.parseInt(six, 2)]).join("");
};
