import type { OneTimeCodes } from "../ports/one-time-codes.ts";

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** SHA-1 (FIPS 180-4, section 6.1). */
const sha1 = (message: readonly number[]): readonly number[] => {
  const padded = [...message, 0x80];
  while (padded.length % 64 !== 56) padded.push(0);
  const length = BigInt(message.length) * 8n;
  for (let shift = 56n; shift >= 0n; shift -= 8n) padded.push(Number((length >> shift) & 0xffn));
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let start = 0; start < padded.length; start += 64) {
    const words: number[] = [];
    for (let t = 0; t < 80; t += 1) {
      const at = start + t * 4;
      const given =
        (padded[at] ?? 0) * 2 ** 24 +
        ((padded[at + 1] ?? 0) << 16) +
        ((padded[at + 2] ?? 0) << 8) +
        (padded[at + 3] ?? 0);
      const mixed = (words[t - 3] ?? 0) ^ (words[t - 8] ?? 0) ^ (words[t - 14] ?? 0) ^ (words[t - 16] ?? 0);
      words.push(t < 16 ? given | 0 : rotate(mixed, 1));
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
    for (const [t, word] of words.entries()) {
      const [f, k] =
        t < 20
          ? [(b & c) | (~b & d), 0x5a827999]
          : t < 40
            ? [b ^ c ^ d, 0x6ed9eba1]
            : t < 60
              ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
              : [b ^ c ^ d, 0xca62c1d6];
      const next = (rotate(a, 5) + f + e + k + word) | 0;
      [a, b, c, d, e] = [next, a, rotate(b, 30), c, d];
    }
    for (const [index, value] of [a, b, c, d, e].entries()) state[index] = ((state[index] ?? 0) + value) | 0;
  }
  return state.flatMap((word) => [24, 16, 8, 0].map((shift) => (word >>> shift) & 0xff));
};

/** HMAC-SHA-1 (RFC 2104). */
const hmac = (key: readonly number[], message: readonly number[]): readonly number[] => {
  const short = key.length > 64 ? sha1(key) : key;
  const block = Array.from({ length: 64 }, (_, index) => short[index] ?? 0);
  const inner = sha1([...block.map((byte) => byte ^ 0x36), ...message]);
  return sha1([...block.map((byte) => byte ^ 0x5c), ...inner]);
};

/**
 * One-time codes without a library, for tests and examples. It is slow, and not protected against
 * side channels.
 */
export const memoryOneTimeCodes = (): OneTimeCodes => ({
  code: async (secret, counter) => {
    const bytes: number[] = [];
    for (let shift = 56n; shift >= 0n; shift -= 8n) bytes.push(Number((BigInt(counter) >> shift) & 0xffn));
    const mac = hmac([...secret], bytes);
    const offset = (mac.at(-1) ?? 0) & 0xf;
    const number = mac
      .slice(offset, offset + 4)
      .reduce((sum, byte, index) => sum * 256 + (index === 0 ? byte & 0x7f : byte), 0);
    return String(number % 1_000_000).padStart(6, "0");
  },
});
