import { valuesOf } from "./encoding.ts";

/** The digits of base64 in order (RFC 4648, 4). */
export const alphabet64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = /* @__PURE__ */ valuesOf(alphabet64);

/** The value of one character; padding and missing characters count as 0. */
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
    // Writes beyond the end of the array have no effect.
    bytes[to] = (first << 2) | (second >> 4);
    bytes[to + 1] = (second << 4) | (third >> 2);
    bytes[to + 2] = (third << 6) | fourth;
  }
  // If left-over bits could be other than zero, one value would have several spellings.
  return seen > 63 || (spare > 0 && left > 0) ? undefined : bytes;
};

/**
 * The bytes of canonical, padded base64 (RFC 4648, 4), or `undefined` for anything else. For texts
 * as short as most signatures it is faster than Node's own decoder. Other platforms use their own
 * decoder, so that their bundles do not contain this one.
 */
export const decodeDigits = (text: string): Uint8Array | undefined => {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return decode64(text, text.length - padding);
};
