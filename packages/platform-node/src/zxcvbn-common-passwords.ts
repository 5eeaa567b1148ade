import type { CommonPasswords } from "@postern/core";
import { dictionary } from "@zxcvbn-ts/language-common";

/** Some 49,000 passwords from published breaches, most frequent first, as zxcvbn keeps them (NIST SP 800-63B, section 3.1.1.2). */
export const zxcvbnCommonPasswords = (): CommonPasswords => {
  let known: ReadonlySet<string> | undefined;
  return {
    includes: (password) => {
      known ??= new Set(dictionary["passwords-common"]);
      return known.has(password.toLowerCase());
    },
  };
};
