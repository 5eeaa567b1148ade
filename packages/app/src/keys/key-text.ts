import { base62, base62OfUuid, numberOfBytes, uuidOfBase62 } from "../base62.ts";

const idDigits = 22;
const secretDigits = 43;
const checksumDigits = 6;

/**
 * `ak_<id>_<secret><checksum>`: 22 digits of base 62 for the id of the key's row, 43 for 256 random
 * bits, and 6 for a CRC-32 of everything before it. Scanners of published code find the form. The
 * checksum distinguishes a key from a similar text without a request to the server.
 */
const form = new RegExp(
  `^(ak_([0-9A-Za-z]{${idDigits}})_[0-9A-Za-z]{${secretDigits}})([0-9A-Za-z]{${checksumDigits}})$`,
);

/** Whether a bearer credential says that it is an API key. */
export const isKeyText = (token: string): boolean => token.startsWith("ak_");

/** CRC-32 of ASCII as ISO 3309 and zlib have it. */
const checksumOf = (text: string): string => {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at += 1) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return base62(BigInt((crc ^ 0xffffffff) >>> 0), checksumDigits);
};

/** The key of the row with this id, a UUID. `secret` is 32 random bytes. */
export const keyTextOf = (id: string, secret: Uint8Array): string => {
  const whole = `ak_${base62OfUuid(id)}_${base62(numberOfBytes(secret), secretDigits)}`;
  return whole + checksumOf(whole);
};

/** The id of the row that a key belongs to; `undefined` for a text that cannot be a key. */
export const idInKey = (text: string): string | undefined => {
  const [, whole = "", id = "", checksum] = form.exec(text) ?? [];
  return checksum === undefined || checksum !== checksumOf(whole) ? undefined : uuidOfBase62(id);
};
