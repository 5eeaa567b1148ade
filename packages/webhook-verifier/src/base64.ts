import { textOf } from "#platform";
import { type Encoding, valuesOf } from "./encoding.ts";

const alphabet64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = /* @__PURE__ */ valuesOf(alphabet64);

/** Written as bytes first: a text that grows by single characters takes ten times as long. */
const encode64 = (bytes: Uint8Array, alphabet: string, padded: boolean): string => {
  const length = Math.ceil((bytes.length * 4) / 3);
  const codes = new Uint8Array(length + 3);
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes[to] = alphabet.charCodeAt(bits >> 18);
    codes[to + 1] = alphabet.charCodeAt((bits >> 12) & 63);
    codes[to + 2] = alphabet.charCodeAt((bits >> 6) & 63);
    codes[to + 3] = alphabet.charCodeAt(bits & 63);
  }
  const text = textOf(codes.subarray(0, length)) ?? "";
  return padded ? text.padEnd(Math.ceil(length / 4) * 4, "=") : text;
};

/** Base64 with padding (RFC 4648, 4). */
export const encodeBase64 = (bytes: Uint8Array): string => encode64(bytes, alphabet64, true);

/** Base64url without padding (RFC 4648, 5). */
export const encodeBase64url = (bytes: Uint8Array): string => encode64(bytes, `${alphabet64.slice(0, 62)}-_`, false);

/** The value of one character; what stands behind the digits counts as none. */
const digit = (text: string, at: number, length: number): number =>
  at < length ? (values[text.charCodeAt(at)] ?? 255) : 0;

/** The first `length` characters of `text`, four for every three bytes. */
const decode64 = (text: string, length: number): Uint8Array | undefined => {
  const bytes = new Uint8Array((length * 3) >> 2);
  const spare = length % 4;
  let seen = spare === 1 ? 255 : 0;
  let left = 0;
  for (let at = 0, to = 0; at < length; at += 4, to += 3) {
    const first = digit(text, at, length);
    const second = digit(text, at + 1, length);
    const third = digit(text, at + 2, length);
    const fourth = digit(text, at + 3, length);
    seen |= first | second | third | fourth;
    left = spare === 2 ? second & 15 : third & 3;
    // Writes behind the end of the array do nothing.
    bytes[to] = (first << 2) | (second >> 4);
    bytes[to + 1] = (second << 4) | (third >> 2);
    bytes[to + 2] = (third << 6) | fourth;
  }
  // Left-over bits that are not zero would give one value several spellings.
  return seen > 63 || (spare > 0 && left > 0) ? undefined : bytes;
};

/** The bytes of canonical, padded base64, or `undefined` for anything else. */
export const decodeBase64 = (text: string): Uint8Array | undefined => {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return decode64(text, text.length - padding);
};

/** The bytes of unpadded base64url, or `undefined` for anything else. */
export const decodeBase64url = (text: string): Uint8Array | undefined =>
  /[+/]/.test(text) ? undefined : decode64(text.replaceAll("-", "+").replaceAll("_", "/"), text.length);

/** Base64 with padding. */
export const base64: Encoding = { name: "base64", decode: decodeBase64, encode: encodeBase64 };

/** Base64url without padding. */
export const base64url: Encoding = { name: "base64url", decode: decodeBase64url, encode: encodeBase64url };
