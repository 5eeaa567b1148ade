import { type Encoding, valuesOf } from "./encoding.ts";

const alphabet64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64Values = /* @__PURE__ */ valuesOf(alphabet64);

const encode64 = (bytes: Uint8Array, alphabet: string, padded: boolean): string => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += `${alphabet[bits >> 18]}${alphabet[(bits >> 12) & 63]}`;
    if (left > 1) text += alphabet[(bits >> 6) & 63];
    if (left > 2) text += alphabet[bits & 63];
  }
  return padded ? text.padEnd(Math.ceil(text.length / 4) * 4, "=") : text;
};

/** Base64 with padding (RFC 4648, 4). */
export const encodeBase64 = (bytes: Uint8Array): string => encode64(bytes, alphabet64, true);

/** Base64url without padding (RFC 4648, 5). */
export const encodeBase64url = (bytes: Uint8Array): string => encode64(bytes, `${alphabet64.slice(0, 62)}-_`, false);

const decode64 = (text: string, length: number, values: Uint8Array): Uint8Array | undefined => {
  const spare = length % 4;
  if (spare === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let bits = 0;
  let held = 0;
  let to = 0;
  for (let at = 0; at < length; at++) {
    const value = values[text.charCodeAt(at)] ?? 255;
    if (value === 255) return undefined;
    bits = (bits << 6) | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[to++] = (bits >> held) & 255;
      bits &= (1 << held) - 1;
    }
  }
  // Left-over bits that are not zero would give one value several spellings.
  return bits === 0 ? bytes : undefined;
};

/** The bytes of canonical, padded base64, or `undefined` for anything else. */
export const decodeBase64 = (text: string): Uint8Array | undefined => {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return decode64(text, text.length - padding, base64Values);
};

/** The bytes of unpadded base64url, or `undefined` for anything else. */
export const decodeBase64url = (text: string): Uint8Array | undefined =>
  /[+/]/.test(text) ? undefined : decode64(text.replaceAll("-", "+").replaceAll("_", "/"), text.length, base64Values);

/** Base64 with padding. */
export const base64: Encoding = { name: "base64", decode: decodeBase64, encode: encodeBase64 };

/** Base64url without padding. */
export const base64url: Encoding = { name: "base64url", decode: decodeBase64url, encode: encodeBase64url };
