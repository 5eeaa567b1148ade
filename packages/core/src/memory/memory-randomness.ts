import type { Randomness } from "../ports/randomness.ts";

/**
 * Randomness that is the same for the same `seed` (any integer). For tests, simulations and
 * examples, never for secrets. The generator is SplitMix32, whose whole state is one 32-bit number.
 */
export const seededRandomness = (seed: number): Randomness => {
  let state = seed | 0;
  const word = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  return {
    bytes: (length) => {
      if (!Number.isInteger(length) || length < 1 || length > 1024) {
        throw new TypeError(`1 to 1,024 random bytes can be had at once, not ${length}`);
      }
      return Uint8Array.from({ length }, () => word() >>> 24);
    },
    fraction: () => word() / 2 ** 32,
  };
};
