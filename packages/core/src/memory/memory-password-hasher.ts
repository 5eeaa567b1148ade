import type { PasswordHasher } from "../ports/password-hasher.ts";
import type { Randomness } from "../ports/randomness.ts";
import { seededRandomness } from "./memory-randomness.ts";
import { weakDigest } from "./weak-digest.ts";

const form = /^memory\$1\$[0-9a-f]{16}\$[\w-]{48}$/;

/**
 * Salted hashes that cost nothing, for tests and examples. They are not secure: from a hash, the
 * password can be guessed at full speed. They are valid across instances, so that a simulated
 * restart keeps its accounts. Nothing ever waits, so turns make no
 * difference and `overloaded` does not happen.
 */
export const memoryPasswordHasher = (randomness: Randomness = seededRandomness(1)): PasswordHasher => {
  const hashWith = (salt: string, password: string): string =>
    `memory$1$${salt}$${weakDigest(`${salt}$${password.normalize("NFC")}`)}`;
  return {
    hash: async (password) =>
      hashWith(Array.from(randomness.bytes(8), (byte) => byte.toString(16).padStart(2, "0")).join(""), password),
    verify: async (password, hash) =>
      hash !== undefined && form.test(hash) && hashWith(hash.slice(9, 25), password) === hash,
    isOutdated: (hash) => !form.test(hash),
  };
};
