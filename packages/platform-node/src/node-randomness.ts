import { randomBytes, randomFillSync } from "node:crypto";
import type { Randomness } from "@postern/core/parts";

/** How many bytes are drawn at once for short requests. */
const pooledBytes = 4096;
/** A longer request is drawn by itself. */
const longestPooled = 64;

/**
 * The operating system's random number generator, by `node:crypto`. Drawing a few bytes takes it as
 * long as drawing thousands, and each id takes a few. So short requests get theirs from a pool, as
 * Node's own `randomUUID` does. Bytes that were given out are wiped from it.
 */
export const nodeRandomness = (): Randomness => {
  const pool = new Uint8Array(pooledBytes);
  let given = pooledBytes;

  const fromPool = (length: number): Uint8Array => {
    if (given + length > pooledBytes) {
      randomFillSync(pool);
      given = 0;
    }
    const bytes = pool.slice(given, given + length);
    pool.fill(0, given, given + length);
    given += length;
    return bytes;
  };

  return {
    bytes: (length) => {
      if (!Number.isInteger(length) || length < 1 || length > 1024) {
        throw new TypeError(`1 to 1,024 random bytes can be had at once, not ${length}`);
      }
      return length <= longestPooled ? fromPool(length) : new Uint8Array(randomBytes(length));
    },
    fraction: () => Math.random(),
  };
};
