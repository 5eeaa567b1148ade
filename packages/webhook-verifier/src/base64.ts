import { decodeBase64, encode64 } from "#platform";
import { alphabet64 } from "./base64-digits.ts";
import type { Encoding } from "./encoding.ts";

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
