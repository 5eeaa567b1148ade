import { type Encoding, valuesOf } from "./encoding.ts";

const values = /* @__PURE__ */ valuesOf("0123456789abcdef");

/** Lower-case hex. */
export const encodeHex = (bytes: Uint8Array): string => {
  let text = "";
  for (const byte of bytes) text += (byte < 16 ? "0" : "") + byte.toString(16);
  return text;
};

/** Bit 32 is all that tells the letters A to F from a to f; the digits have it as well. */
const digit = (code: number): number => values[code > 64 ? code | 32 : code] ?? 255;

/** The bytes of an even number of hex digits in either case, or `undefined` for anything else. */
export const decodeHex = (text: string): Uint8Array | undefined => {
  if (text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const high = digit(text.charCodeAt(2 * at));
    const low = digit(text.charCodeAt(2 * at + 1));
    if ((high | low) > 15) return undefined;
    bytes[at] = (high << 4) | low;
  }
  return bytes;
};

/** Hex in either case; written in lower case. */
export const hex: Encoding = { name: "hex", decode: decodeHex, encode: encodeHex };
