const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * One pass over the text with its own start value: the mixing of MurmurHash3 over UTF-16 code
 * units.
 */
const lane = (text: string, start: number): number => {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0xcc9e2d51);
    hash = Math.imul((hash << 15) | (hash >>> 17), 0x1b873593);
  }
  hash = Math.imul(hash ^ (hash >>> 16) ^ text.length, 0x85ebca6b);
  return Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
};

/**
 * A short text that depends on every character of `text`: six URL-safe characters (32 bits) for
 * each of `words`. Different texts almost always get different fingerprints, but an attacker can
 * find two that collide: core has no cryptography of its own.
 */
export const fingerprint = (text: string, words: number): string => {
  let mark = "";
  for (let number = 1; number <= words; number++) {
    let word = lane(text, Math.imul(number, 0x9e3779b1));
    for (let character = 0; character < 6; character++) {
      mark += alphabet[word & 63];
      word >>>= 6;
    }
  }
  return mark;
};
