import { decodeBase64, textOf } from "#platform";
import { alphabet64 } from "./base64-digits.ts";
import type { Encoding } from "./encoding.ts";

/**
 * Encodes. It writes bytes first, because a text that grows by single characters takes ten times as
 * long.
 */
const encode64 = (bytes: Uint8Array, alphabet: string): string => {
  const length = Math.ceil((bytes.length * 4) / 3);
  const codes = new Uint8Array(length + 3);
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes[to] = alphabet.charCodeAt(bits >> 18);
    codes[to + 1] = alphabet.charCodeAt((bits >> 12) & 63);
    codes[to + 2] = alphabet.charCodeAt((bits >> 6) & 63);
    codes[to + 3] = alphabet.charCodeAt(bits & 63);
  }
  return textOf(codes.subarray(0, length)) ?? "";
};

/** Base64 with the padding that its length needs. */
export const padded = (digits: string): string => digits.padEnd(Math.ceil(digits.length / 4) * 4, "=");

/** Base64 with padding (RFC 4648, 4). */
export const encodeBase64 = (bytes: Uint8Array): string => padded(encode64(bytes, alphabet64));

/** Base64url without padding (RFC 4648, 5). */
export const encodeBase64url = (bytes: Uint8Array): string => encode64(bytes, `${alphabet64.slice(0, 62)}-_`);

export { decodeBase64 };

/** The bytes of unpadded base64url, or `undefined` for anything else. */
export const decodeBase64url = (text: string): Uint8Array | undefined =>
  /[+/=]/.test(text) ? undefined : decodeBase64(padded(text.replaceAll("-", "+").replaceAll("_", "/")));

/** Base64 with padding. */
export const base64: Encoding = { name: "base64", decode: decodeBase64, encode: encodeBase64 };

/** Base64url without padding. */
export const base64url: Encoding = { name: "base64url", decode: decodeBase64url, encode: encodeBase64url };
