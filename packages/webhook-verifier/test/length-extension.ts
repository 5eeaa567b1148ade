/**
 * The attack on plain hashes over secret and content: the state of SHA-256 is its digest, so
 * anybody who has a digest can go on hashing behind the padding without knowing the secret. SHA-256
 * as FIPS 180-4 defines it, because no library starts in the middle.
 */
const primes = Array.from({ length: 320 }, (_, n) => n).filter(
  (n) => n > 1 && !Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, d) => d + 2).some((d) => n % d === 0),
);
const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32);
const constants = primes.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

const compress = (state: readonly number[], block: DataView): readonly number[] => {
  const words = Array.from({ length: 16 }, (_, index) => block.getUint32(index * 4));
  for (let t = 16; t < 64; t++) {
    const [w2 = 0, w7 = 0, w15 = 0, w16 = 0] = [words[t - 2], words[t - 7], words[t - 15], words[t - 16]];
    const small0 = rotated(w15, 7) ^ rotated(w15, 18) ^ (w15 >>> 3);
    const small1 = rotated(w2, 17) ^ rotated(w2, 19) ^ (w2 >>> 10);
    words.push((small1 + w7 + small0 + w16) >>> 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + big1 + ((e & f) ^ (~e & g)) + (constants[t] ?? 0) + (words[t] ?? 0)) >>> 0;
    const big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const second = (big0 + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + (state[index] ?? 0)) >>> 0);
};

const padding = (length: number): Buffer => {
  const zeros = (119 - (length % 64)) % 64;
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64BE(BigInt(length) * 8n);
  return Buffer.concat([Buffer.from([0x80]), Buffer.alloc(zeros), bits]);
};

/**
 * The digest of secret, body, glue and tail, and glue with tail, from the digest of secret and body
 * alone.
 */
export const extend = (
  digest: string,
  hashedLength: number,
  tail: string,
): { readonly digest: string; readonly added: Buffer } => {
  const glue = padding(hashedLength);
  const before = hashedLength + glue.length;
  const rest = Buffer.concat([Buffer.from(tail), padding(before + Buffer.byteLength(tail))]);
  let state: readonly number[] = Array.from({ length: 8 }, (_, index) =>
    Buffer.from(digest, "hex").readUInt32BE(index * 4),
  );
  for (let at = 0; at < rest.length; at += 64)
    state = compress(state, new DataView(rest.buffer, rest.byteOffset + at, 64));
  return {
    digest: state.map((word) => word.toString(16).padStart(8, "0")).join(""),
    added: Buffer.concat([glue, Buffer.from(tail)]),
  };
};
