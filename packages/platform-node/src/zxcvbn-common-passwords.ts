import { createRequire } from "node:module";
import type { CommonPasswords } from "@postern/core/ports";

type Language = typeof import("@zxcvbn-ts/language-common");

/**
 * Some 49,000 passwords from published breaches, most frequent first, as zxcvbn keeps them (NIST SP
 * 800-63B, section 3.1.1.2). The list is read at the first call, because that takes 50 ms and 20
 * MB, and a process that only receives webhooks never calls it.
 */
export const zxcvbnCommonPasswords = (): CommonPasswords => {
  const load = createRequire(import.meta.url);
  let known: ReadonlySet<string> | undefined;
  return {
    includes: (password) => {
      if (known === undefined) {
        const { dictionary }: Language = load("@zxcvbn-ts/language-common");
        known = new Set(dictionary["passwords-common"]);
      }
      return known.has(password.toLowerCase());
    },
  };
};
