import { type Encoding, valuesOf } from "./encoding.ts";

const values = /* @__PURE__ */ valuesOf("0123456789abcdef", "0123456789ABCDEF");

const pairs = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => (byte + 256).toString(16).slice(1));

/** Lower-case hex. */
export const encodeHex = (bytes: Uint8Array): string => {
  let text = "";
  for (let at = 0; at < bytes.length; at++) text += pairs[bytes[at] as number];
  return text;
};

/** The bytes of an even number of hex digits in either case, or `undefined` for anything else. */
export const decodeHex = (text: string): Uint8Array | undefined => {
  const bytes = new Uint8Array(text.length >> 1);
  let seen = text.length % 2 === 0 ? 0 : 255;
  for (let at = 0; at < bytes.length; at++) {
    const high = values[text.charCodeAt(2 * at)] ?? 255;
    const low = values[text.charCodeAt(2 * at + 1)] ?? 255;
    seen |= high | low;
    bytes[at] = (high << 4) | low;
  }
  return seen > 15 ? undefined : bytes;
};

/** Reads hex in either case and writes it in lower case. */
export const hex: Encoding = { name: "hex", decode: decodeHex, encode: encodeHex };
