import type { CommonPasswords } from "../ports/common-passwords.ts";

/** Common passwords from a list that you pass, in lower case. A server needs a long list. */
export const memoryCommonPasswords = (
  list: readonly string[] = ["password", "password1", "12345678", "123456789", "qwertyuiop", "iloveyou"],
): CommonPasswords => {
  const known = new Set(list);
  return { includes: (password) => known.has(password.toLowerCase()) };
};
