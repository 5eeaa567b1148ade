import { textOf, utf8 } from "./runtime.ts";

/** How signatures, digests and keys are written as text. Decoders are strict: one value has exactly one spelling. */
export type Encoding = "hex" | "base64" | "base64url" | "text";

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64urlAlphabet = `${base64Alphabet.slice(0, 62)}-_`;
const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Code of a character → its value; 255 for anything that is not in the alphabet. */
const valuesOf = (alphabet: string): Uint8Array => {
  const values = new Uint8Array(128).fill(255);
  for (let at = 0; at < alphabet.length; at++) values[alphabet.charCodeAt(at)] = at;
  return values;
};

const hexValues = valuesOf("0123456789abcdef");
hexValues.set(hexValues.subarray(97, 103), 65);
const base64Values = valuesOf(base64Alphabet);
const base64urlValues = valuesOf(base64urlAlphabet);

/** Lower-case hex. */
export const encodeHex = (bytes: Uint8Array): string => {
  let text = "";
  for (const byte of bytes) text += hexPairs[byte];
  return text;
};

/** The bytes of an even number of hex digits in either case, or `undefined` for anything else. */
export const decodeHex = (text: string): Uint8Array | undefined => {
  if (text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const high = hexValues[text.charCodeAt(2 * at)] ?? 255;
    const low = hexValues[text.charCodeAt(2 * at + 1)] ?? 255;
    if ((high | low) > 15) return undefined;
    bytes[at] = (high << 4) | low;
  }
  return bytes;
};

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
export const encodeBase64 = (bytes: Uint8Array): string => encode64(bytes, base64Alphabet, true);

/** Base64url without padding (RFC 4648, 5). */
export const encodeBase64url = (bytes: Uint8Array): string => encode64(bytes, base64urlAlphabet, false);

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
export const decodeBase64url = (text: string): Uint8Array | undefined => decode64(text, text.length, base64urlValues);

const decoders = { hex: decodeHex, base64: decodeBase64, base64url: decodeBase64url, text: utf8 } as const;
const encoders = {
  hex: encodeHex,
  base64: encodeBase64,
  base64url: encodeBase64url,
  text: (bytes: Uint8Array): string => textOf(bytes) ?? "",
} as const;

/** The bytes of `text` in the given notation, or `undefined` when it is not written in it. */
export const decode = (text: string, encoding: Encoding): Uint8Array | undefined => decoders[encoding](text);

/** `bytes` in the given notation. */
export const encode = (bytes: Uint8Array, encoding: Encoding): string => encoders[encoding](bytes);

/** One array that holds all of `pieces` one after the other. */
export const concat = (pieces: readonly Uint8Array[]): Uint8Array => {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
};
