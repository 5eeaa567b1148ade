import { randomBytes } from "node:crypto";
import type { Randomness } from "@postern/core/ports";

/** The operating system's random number generator, by `node:crypto`. */
export const nodeRandomness = (): Randomness => ({
  bytes: (length) => {
    if (!Number.isInteger(length) || length < 1 || length > 1024) {
      throw new TypeError(`1 to 1,024 random bytes can be had at once, not ${length}`);
    }
    return new Uint8Array(randomBytes(length));
  },
  fraction: () => Math.random(),
});
